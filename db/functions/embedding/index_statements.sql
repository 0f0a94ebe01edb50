-- embedding.index_statements
-- The indexes that searches of a set read, each with the statement that builds it while the searches go on.
--
-- The one place that says how vectors are indexed: as the set's row says, one index over national
-- text, two over the halves of all other text (embedding.index_part), and one more over every other
-- scope that takes long to scan: of kb.own_index chunks, and of more than kb.exact_limit where bits
-- can be scanned instead. An index of its own finds a scope's chunks without stepping over everybody
-- else's, in a quarter of the time that the bits of four times kb.exact_limit take.
-- A statement runs by itself, outside of a transaction, as the owner of the table:
-- embedding.missing_indexes says which are needed.
--
-- called by  embedding.missing_indexes, ingest/embedding/calls.py, embedding.spare_indexes
-- raises     ST002 unusable setting

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
            'with (m = %s, ef_construction = %s) where %s',
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
    cross join lateral (
        select
            format('vector_%s_%s_idx', s.set_id, embedding.index_part(h.scope_id)) as name,
            embedding.index_condition(h.scope_id) as condition,
            0 as place,
            h.scope_id
        -- any scope of each half
        from (values (2::bigint), (3)) as h (scope_id)
        union all
        select
            embedding.own_index(s.set_id, o.scope_id),
            -- a constant: by that alone the planner matches an index to a search
            format('scope_id = %s', o.scope_id),
            1,
            o.scope_id
        from corpus.scope as o
        left join search.scope_size as z on o.scope_id = z.scope_id
        where
            o.kind = 'national'
            or z.chunks >= greatest(
                config.value('kb.own_index')::bigint,
                case
                    when s.index_kind = 'binary'
                        then config.value('kb.exact_limit')::bigint + 1
                end
            )
    ) as i
    where s.set_id = index_statements.set_id
    order by i.place, i.scope_id;
$func$;

comment on function embedding.index_statements is
'The indexes that searches of a set read, each with the statement that builds it while the searches go on.';
