-- embedding.purge_queries
-- Remove the cached questions that can no longer be used; returns how many.
--
-- called by  ingest/embedding/calls.py (worker upkeep)
-- writes     embedding.query_cache

create or replace function embedding.purge_queries()
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _purged integer;
begin
    delete from embedding.query_cache as q
    where
        q.expires_at <= now()
        or q.expansion_revision <> embedding.expansion_revision()
        or q.model <> (select s.model from embedding.set as s where s.set_id = q.set_id);
    get diagnostics _purged = row_count;
    return _purged;
end;
$func$;

comment on function embedding.purge_queries is
'Remove the cached questions that can no longer be used; returns how many.';
