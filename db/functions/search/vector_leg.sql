-- search.vector_leg
-- The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter's selectivity.
--
-- Small scopes together within kb.exact_limit are scanned exactly, larger ones through the index;
-- where the index under-fills, an exact scan tops it up.
--
-- called by  search.rank_candidates
-- raises     nothing

create or replace function search.vector_leg(
    query public.halfvec,
    set_id integer,
    scopes search.visible_scope[],
    statuses text[],
    tags text[] default null,
    candidates integer default 50,
    floor double precision default -1,
    as_of date default null
)
returns setof search.vector_hit
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _exact_limit bigint := config.value('kb.exact_limit')::bigint;
    _small bigint[];
    _large bigint[];
    _hits search.vector_hit[];
    _more search.vector_hit[];
begin
    if vector_leg.query is null or coalesce(cardinality(vector_leg.scopes), 0) = 0 then
        return;
    end if;
    select
        array_agg(r.scope_id) filter (where r.running <= _exact_limit),
        array_agg(r.scope_id) filter (where r.running > _exact_limit)
    into _small, _large
    from (
        select s.scope_id, sum(s.chunks) over (order by s.chunks, s.scope_id) as running
        from unnest(vector_leg.scopes) as s
    ) as r;
    if vector_leg.as_of is not null then
        _small := _small || _large;
        _large := null;
    end if;

    if _small is not null then
        _hits := array(
            select h
            from search.exact_hits(
                vector_leg.query, vector_leg.set_id, _small, vector_leg.statuses, vector_leg.tags,
                vector_leg.candidates, vector_leg.as_of
            ) as h
        );
    end if;
    if _large is not null then
        _more := array(
            select h
            from search.index_hits(
                vector_leg.query, vector_leg.set_id, _large, vector_leg.statuses, vector_leg.tags,
                vector_leg.candidates
            ) as h
        );
        if cardinality(_more) < vector_leg.candidates then
            _more := array(
                select h
                from search.exact_hits(
                    vector_leg.query, vector_leg.set_id, _large, vector_leg.statuses,
                    vector_leg.tags, vector_leg.candidates
                ) as h
            );
        end if;
    end if;

    return query
    select h.chunk_id, h.similarity, h.rank::integer
    from (
        select
            u.chunk_id, u.similarity,
            rank() over (order by round(u.similarity::numeric, 9) desc) as rank
        from unnest(_hits || _more) as u
        where u.similarity >= vector_leg.floor
    ) as h
    order by h.rank, h.chunk_id
    limit vector_leg.candidates;
end;
$func$;

comment on function search.vector_leg is
'The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter''s selectivity.';
