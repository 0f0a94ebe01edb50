-- search.index_hits
-- The most similar visible chunks of these scopes by an HNSW index, scanned on while the filter leaves too few.
--
-- A set whose index holds bits (index_kind binary) brings several times as many hits by Hamming
-- distance (search.rerank_depth), which the vectors rank. The scopes are of one part of the text
-- (embedding.index_part): each has an index of its own.
--
-- The planner settings leave the index as the only way that needs no sort; they and the hnsw
-- settings hold inside this call only (a SET clause restores what set_config changes).
-- Relaxed order keeps hits that strict order throws away; search.vector_leg ranks them anew.
-- Parallel unsafe, and so is all that calls it: in a parallel query no setting can be changed.
--
-- called by  search.vector_leg, search.calibrate
-- raises     ST002 unusable setting

create or replace function search.index_hits(
    query public.halfvec,
    set_id integer,
    scope_ids bigint[],
    statuses text[],
    tags text[] default null,
    candidates integer default 50
)
returns setof search.vector_hit
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set hnsw.ef_search = 100
set hnsw.iterative_scan = relaxed_order
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $func$
declare
    _binary boolean := (
        select s.index_kind = 'binary' from embedding.set as s where s.set_id = index_hits.set_id
    );
    _depth integer := index_hits.candidates;
    _order text;
    _of_part text;   -- what the index of that part says; NULL: a scope with an index of its own
    _afterwards boolean;   -- whether what is not visible is left out of what the graph gave
    _found search.vector_hit[];
begin
    if _binary then
        -- a graph gives no more than 1000
        _depth := least(1000, search.rerank_depth(
            index_hits.candidates, public.vector_dims(index_hits.query)
        ));
        _order := 'public.binary_quantize(v.embedding)::bit(%1$s) operator(public.<~>) '
            'public.binary_quantize($1)::bit(%1$s)';
    else
        _order := 'v.embedding::public.halfvec(%1$s) operator(public.<=>) $1::public.halfvec(%1$s)';
    end if;
    if cardinality(index_hits.scope_ids) <> 1
        or not embedding.has_own_index(index_hits.set_id, index_hits.scope_ids[1])
    then
        _of_part := ' and ' || embedding.index_condition(index_hits.scope_ids[1], prefix => 'v.');
    end if;
    -- the list must hold what is asked for; pgvector refuses more than 1000
    perform set_config(
        'hnsw.ef_search',
        least(1000, greatest(_depth, config.value('kb.ef_search')::integer))::text,
        true
    );
    -- many more than are asked for, and nearly all that is near is visible: what is not is left out
    -- of half as many again. Where that leaves too few, the graph is walked on until enough of the
    -- visible ones are found
    foreach _afterwards in array
        case when _binary and index_hits.tags is null then array[true, false] else array[false] end
    loop
        execute format(
            case
                when _afterwards then
                    $query$
                    select array(
                        select row(n.chunk_id, 1 - n.distance, 0)::search.vector_hit
                        from (
                            select h.chunk_id, h.embedding operator(public.<=>) $1 as distance
                            from (
                                select v.chunk_id, v.embedding
                                from embedding.%1$I as v
                                where %2$s
                                order by %3$s
                                limit $6
                            ) as h
                            order by distance, h.chunk_id
                            limit $5 + ($5 + 1) / 2
                        ) as n
                        cross join lateral (
                            select
                            from corpus.chunk_fact as f
                            where f.chunk_id = n.chunk_id and f.status = any($3)
                            offset 0
                        ) as f
                        order by n.distance, n.chunk_id
                        limit $5
                    )
                    $query$
                else
                    $query$
                    select array(
                        select row(n.chunk_id, 1 - n.distance, 0)::search.vector_hit
                        from (
                            select h.chunk_id, h.embedding operator(public.<=>) $1 as distance
                            from (
                                select v.chunk_id, v.embedding
                                from embedding.%1$I as v
                                inner join corpus.chunk_fact as f on v.chunk_id = f.chunk_id
                                where
                                    %2$s
                                    and f.status = any($3)
                                    and ($4 is null or f.tags && $4)
                                order by %3$s
                                limit $6
                            ) as h
                        ) as n
                        order by n.distance, n.chunk_id
                        limit $5
                    )
                    $query$
            end,
            'vector_' || index_hits.set_id,
            -- only constants make the planner see that the index of that part of the text will do
            case
                when cardinality(index_hits.scope_ids) = 1
                    then format('v.scope_id = %s', index_hits.scope_ids[1])
                else 'v.scope_id = any($2)'
            end || coalesce(_of_part, ''),
            format(_order, public.vector_dims(index_hits.query))
        )
        into _found
        using
            index_hits.query, index_hits.scope_ids, index_hits.statuses, index_hits.tags,
            index_hits.candidates, _depth;
        exit when cardinality(_found) >= index_hits.candidates;
    end loop;
    return query select h.chunk_id, h.similarity, h.rank from unnest(_found) as h;
end;
$func$;

comment on function search.index_hits is
'The most similar visible chunks of these scopes by an HNSW index, scanned on while the filter leaves too few.';
