-- embedding.index_statements
-- The indexes that searches of a set read, each with the statement that builds it while the searches go on.
--
-- The one place that says how vectors are indexed. A statement runs by itself, outside of a
-- transaction, as the owner of the table: embedding.missing_indexes says which are needed.
--
-- called by  embedding.missing_indexes, ingest/calls.py
-- raises     nothing

create or replace function embedding.index_statements(set_id integer)
returns table (index_name text, statement text)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        format('vector_%s_hnsw_idx', s.set_id),
        format(
            'create index concurrently vector_%1$s_hnsw_idx on embedding.vector_%1$s '
            'using hnsw ((embedding::public.halfvec(%2$s)) public.halfvec_cosine_ops) '
            'with (m = 16, ef_construction = 64)',
            s.set_id, s.width
        )
    from embedding.set as s
    where s.set_id = index_statements.set_id;
$func$;

comment on function embedding.index_statements is
'The indexes that searches of a set read, each with the statement that builds it while the searches go on.';
