-- search.exact_hits
-- The most similar visible chunks of these scopes by an exact scan: recall 1, cost grows with the scopes.
--
-- With as_of, the versions in force on that day, superseded ones included.
-- The query runs as dynamic SQL, planned for these very values (no generic plan).
--
-- called by  search.vector_leg, search.explain_miss, search.rank_candidates, search.calibrate,
--            dba.measure_recall
-- raises     nothing

create or replace function search.exact_hits(
    query public.halfvec,
    set_id integer,
    scope_ids bigint[],
    statuses text[],
    tags text[] default null,
    candidates integer default 50,
    as_of date default null
)
returns setof search.vector_hit
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if exact_hits.as_of is null then
        return query execute format(
            $query$
            select h.chunk_id, 1 - h.distance, 0
            from (
                select v.chunk_id, v.embedding operator(public.<=>) $1 as distance
                from embedding.%I as v
                inner join %s v.chunk_id = f.chunk_id
                -- all of the partition are of the set, but its key begins with it
                where v.set_id = $6 and v.scope_id = any($2)
                -- by id where equal: what the limit cuts off must not depend on where rows lie
                order by v.embedding operator(public.<=>) $1, v.chunk_id
                limit $5
            ) as h
            $query$,
            'vector_' || exact_hits.set_id,
            case
                when exact_hits.tags is null
                    then 'corpus.chunk_fact as f on f.scope_id = any($2) '
                        'and f.status = any($3) and'
                else 'search.tagged_chunks($4, $2, $3) as f on'
            end
        )
        using
            exact_hits.query, exact_hits.scope_ids, exact_hits.statuses, exact_hits.tags,
            exact_hits.candidates, exact_hits.set_id;
        return;
    end if;
    return query
    select h.chunk_id, 1 - h.distance, 0
    from (
        select a.chunk_id, v.embedding operator(public.<=>) exact_hits.query as distance
        from search.chunks_as_of(
            exact_hits.as_of, exact_hits.scope_ids, exact_hits.statuses, exact_hits.tags
        ) as a (chunk_id)
        cross join lateral (
            select w.embedding
            from embedding.vector as w
            where w.set_id = exact_hits.set_id and w.chunk_id = a.chunk_id
            union all
            select k.embedding
            from embedding.cold_vector as k
            where k.set_id = exact_hits.set_id and k.chunk_id = a.chunk_id
        ) as v
        order by distance, a.chunk_id
        limit exact_hits.candidates
    ) as h;
end;
$func$;

comment on function search.exact_hits is
'The most similar visible chunks of these scopes by an exact scan: recall 1, cost grows with the scopes.';
