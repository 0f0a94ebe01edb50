-- eval.named_set
-- The set of judged questions with this name.
--
-- called by  eval.name_documents, eval.store_vectors, eval.start_run, eval.answer, eval.fill_pool,
--            eval.sweep
-- raises     JU001 unknown set

create or replace function eval.named_set(name text)
returns eval.question_set
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set eval.question_set;
begin
    select s.* into _set from eval.question_set as s where s.name = named_set.name;
    if not found then
        raise exception 'there is no set of judged questions "%"', left(named_set.name, 60)
            using errcode = 'JU001', hint = 'See: select name from eval.question_set;';
    end if;
    return _set;
end;
$func$;

comment on function eval.named_set is
'The set of judged questions with this name.';
