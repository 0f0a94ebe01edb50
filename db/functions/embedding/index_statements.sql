-- embedding.index_statements
-- The indexes that searches of a set read, each with the statement that builds it while the searches go on.
--
-- The one place that says how vectors are indexed: as the set's row says, one index over all, one
-- over national text. That scope is in every question's reach and too large to scan; an index of
-- its own finds its chunks without stepping over everybody else's. A statement runs by itself,
-- outside of a transaction, as the owner of the table: embedding.missing_indexes says which are
-- needed.
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
        i.name,
        format(
            'create index concurrently %I on embedding.%I using hnsw (%s) '
            'with (m = %s, ef_construction = %s)%s',
            i.name,
            'vector_' || s.set_id,
            case s.index_kind
                when 'binary' then format(
                    '(public.binary_quantize(embedding)::bit(%s)) public.bit_hamming_ops', s.width
                )
                else format(
                    '(embedding::public.halfvec(%s)) public.halfvec_cosine_ops', s.width
                )
            end,
            s.index_m,
            s.index_ef_construction,
            i.condition
        )
    from embedding.set as s
    inner join corpus.scope as n on n.kind = 'national'
    cross join lateral (
        values
            (format('vector_%s_hnsw_idx', s.set_id), ''),
            (
                format('vector_%s_national_idx', s.set_id),
                format(' where scope_id = %s', n.scope_id)
            )
    ) as i (name, condition)
    where s.set_id = index_statements.set_id;
$func$;

comment on function embedding.index_statements is
'The indexes that searches of a set read, each with the statement that builds it while the searches go on.';
