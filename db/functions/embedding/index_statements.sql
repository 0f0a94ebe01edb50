-- embedding.index_statements
-- The statements that make the vector indexes of a set, as its row says: one over all, one over national text.
--
-- The national scope is the largest that is searched in every question; an index of its own finds
-- its chunks without stepping over everybody else's.
--
-- called by  people
-- raises     VE005 unknown set

create or replace function embedding.index_statements(set_name text, concurrently boolean default true)
returns table (index_name text, statement text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(index_statements.set_name);
    _national bigint := (select s.scope_id from corpus.scope as s where s.kind = 'national');
begin
    return query
    select
        i.name,
        format(
            'create index %s if not exists %I on embedding.%I using hnsw (%s) '
            'with (m = %s, ef_construction = %s)%s',
            case when index_statements.concurrently then 'concurrently' else '' end,
            i.name,
            'vector_' || _set.set_id,
            case _set.index_kind
                when 'binary' then format(
                    '(public.binary_quantize(embedding)::bit(%s)) public.bit_hamming_ops', _set.width
                )
                else format(
                    '(embedding::public.halfvec(%s)) public.halfvec_cosine_ops', _set.width
                )
            end,
            _set.index_m,
            _set.index_ef_construction,
            i.condition
        )
    from (
        values
            (format('vector_%s_hnsw_idx', _set.set_id), ''),
            (format('vector_%s_national_idx', _set.set_id), format(' where scope_id = %s', _national))
    ) as i (name, condition);
end;
$func$;

comment on function embedding.index_statements is
'The statements that make the vector indexes of a set, as its row says: one over all, one over national text.';
