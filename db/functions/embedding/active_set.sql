-- embedding.active_set
-- The embedding set that searches use now.
--
-- called by  embedding.*, dba.*, corpus.check_embedded, search.word_question,
--            eval.answer, eval.fill_pool, eval.require_vectors, eval.store_vectors,
--            search.calibrate, ingest/embedding/calls.py, app/calls.py
-- raises     VE004 no set is active

create or replace function embedding.active_set()
returns embedding.set
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set;
begin
    select s.* into _set from embedding.set as s where s.active;
    if not found then
        raise exception 'no embedding set is active'
            using errcode = 'VE004',
                  hint = 'Choose one: select embedding.activate(name) from embedding.set;';
    end if;
    return _set;
end;
$func$;

comment on function embedding.active_set is
'The embedding set that searches use now.';
