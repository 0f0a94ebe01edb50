-- eval.require_vectors
-- Refuse a set whose questions lack their vectors in the active embedding set.
--
-- called by  eval.start_run, eval.fill_pool
-- raises     JU004 a question lacks its vector

create or replace function eval.require_vectors(question_set eval.question_set)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _active embedding.set := embedding.active_set();
begin
    if exists (
        select
        from eval.question as q
        where
            q.question_set_id = require_vectors.question_set.question_set_id
            and not exists (
                select
                from eval.question_vector as v
                where v.question_id = q.question_id and v.set_id = _active.set_id
            )
    ) then
        raise exception 'questions of "%" have no vector in the set %',
            require_vectors.question_set.name, _active.name
            using errcode = 'JU004', hint = 'Store them first: eval.store_vectors.';
    end if;
end;
$func$;

comment on function eval.require_vectors is
'Refuse a set whose questions lack their vectors in the active embedding set.';
