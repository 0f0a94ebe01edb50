-- embedding.forget_viewer
-- Remove the cached questions of a viewer, whatever login asked for them; returns how many.
--
-- called by  privacy.erase_person
-- writes     embedding.query_cache

create or replace function embedding.forget_viewer(viewer text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _removed integer;
begin
    delete from embedding.query_cache as q where q.viewer = forget_viewer.viewer;
    get diagnostics _removed = row_count;
    return _removed;
end;
$func$;

comment on function embedding.forget_viewer is
'Remove the cached questions of a viewer, whatever login asked for them; returns how many.';
