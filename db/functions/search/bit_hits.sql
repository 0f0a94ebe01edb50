-- search.bit_hits
-- The most similar visible chunks of these scopes by a scan of their bits, the nearest of which are ranked by their vectors.
--
-- A fifth of the time of search.exact_hits at 1536 dimensions, and nearly its recall: of the
-- nearest by Hamming distance, several times as many as are asked for (search.rerank_depth), the
-- vectors say which are the best. What is not visible is left out of half as many again as are
-- asked for: nearly all that is near is visible. Where it is not, too few of those that are visible
-- were ranked to trust them; fewer than asked for are found, and search.vector_leg scans exactly.
-- With tags only the bits of visible chunks that carry them are read: of those in tagged where the
-- caller knows them, looked up in one go. Runs as dynamic SQL, planned for these very values.
--
-- called by  search.vector_leg
-- raises     ST002 unusable setting

create or replace function search.bit_hits(
    query public.halfvec,
    set_id integer,
    scope_ids bigint[],
    statuses text[],
    tags text[] default null,
    candidates integer default 50,
    tagged bigint[] default null
)
returns setof search.vector_hit
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $func$
begin
    return query execute format(
        $query$
        select n.chunk_id, 1 - n.distance, 0
        from (
            select v.chunk_id, v.embedding operator(public.<=>) $1 as distance
            from (
                select b.chunk_id
                from embedding.bit_vector as b
                %2$s
                where b.set_id = $2 and b.scope_id = any($3) %3$s
                order by b.bits operator(public.<~>) $7, b.chunk_id
                limit $6
            ) as h
            -- the set, too, though all of the partition are of it: the key begins with it
            inner join embedding.%1$I as v on v.set_id = $2 and h.chunk_id = v.chunk_id
            order by distance, v.chunk_id
            limit $5 + ($5 + 1) / 2
        ) as n
        cross join lateral (
            select
            from corpus.chunk_fact as f
            where
                f.chunk_id = n.chunk_id
                and f.scope_id = any($3)
                and f.status = any($4)
            offset 0
        ) as f
        order by n.distance, n.chunk_id
        limit $5
        $query$,
        'vector_' || bit_hits.set_id,
        case
            when bit_hits.tags is not null and bit_hits.tagged is null
                then 'inner join search.tagged_chunks($8, $3, $4) as c '
                    'on b.chunk_id = c.chunk_id'
            else ''
        end,
        -- as a subquery: the planner would estimate each of thousands
        case
            when bit_hits.tagged is not null
                then 'and b.chunk_id = any((select $9)::bigint[])'
            else ''
        end
    )
    using
        bit_hits.query, bit_hits.set_id, bit_hits.scope_ids, bit_hits.statuses,
        bit_hits.candidates,
        search.rerank_depth(bit_hits.candidates, public.vector_dims(bit_hits.query)),
        public.binary_quantize(bit_hits.query)::bit varying,
        bit_hits.tags,
        bit_hits.tagged;
end;
$func$;

comment on function search.bit_hits is
'The most similar visible chunks of these scopes by a scan of their bits, the nearest of which are ranked by their vectors.';
