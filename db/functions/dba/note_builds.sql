-- dba.note_builds
-- Note every vector index that was built since it was last noted, so that churn is counted from its build; returns how many.
--
-- An index never seen before is taken as built when the counting of deletes began; one whose file
-- is another than noted was rebuilt just now, as far as anybody knows. So: before and after a rebuild.
--
-- called by  admins, ingest/upkeep/calls.py (upkeep, around a rebuild)
-- writes     dba.index_build

create or replace function dba.note_builds()
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _noted integer;
begin
    delete from dba.index_build as b
    where not exists (select from dba.vector_index as v where v.index_name = b.index_name);
    insert into dba.index_build as b (index_name, file_node, deletes_before)
    select v.index_name, pg_relation_filenode(v.index_oid), 0
    from dba.vector_index as v
    on conflict (index_name) do update
    set
        file_node = excluded.file_node,
        deletes_before = (
            select t.deleted_rows
            from dba.vector_index as v
            inner join dba.our_table as t on t.table_oid = v.table_oid
            where v.index_name = b.index_name
        ),
        noted_at = now()
    where b.file_node <> excluded.file_node;
    get diagnostics _noted = row_count;
    return _noted;
end;
$func$;

comment on function dba.note_builds is
'Note every vector index that was built since it was last noted, so that churn is counted from its build; returns how many.';
