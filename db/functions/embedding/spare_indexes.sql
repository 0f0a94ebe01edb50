-- embedding.spare_indexes
-- The vector indexes of a set that no search reads once those of embedding.index_statements are there.
--
-- Of another version of pgkb, or of a scope that has become small. Indexes of other names are
-- none of ours and stay.
--
-- called by  dba.upkeep_plan, dba.spare_indexes
-- raises     ST002 unusable setting

create or replace function embedding.spare_indexes(set_id integer)
returns table (index_name text)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select c.relname::text
    from pg_index as i
    inner join pg_class as c on i.indexrelid = c.oid
    inner join pg_am as a on c.relam = a.oid
    where
        i.indrelid = to_regclass('embedding.vector_' || spare_indexes.set_id)
        and a.amname = 'hnsw'
        and c.relname ~ '^vector_[0-9]+_(hnsw|local|local_[01]|national|scope_[0-9]+)_idx$'
        and c.relname not in (
            select x.index_name from embedding.index_statements(spare_indexes.set_id) as x
        );
$func$;

comment on function embedding.spare_indexes is
'The vector indexes of a set that no search reads once those of embedding.index_statements are there.';
