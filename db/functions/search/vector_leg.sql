-- search.vector_leg
-- The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter's selectivity; and how each scope was read.
--
-- Small scopes together within kb.exact_limit are scanned exactly, larger ones through the index;
-- where the index under-fills, an exact scan tops it up. With as_of every scope is scanned exactly.
--
-- called by  search.rank_candidates
-- raises     ST002 unusable setting

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
returns search.vector_found
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _exact_limit bigint := config.value('kb.exact_limit')::bigint;
    _plans search.scope_plan[];
    _small bigint[];
    _large bigint[];
    _hits search.vector_hit[];
    _more search.vector_hit[];
    _topped_up text;
begin
    _plans := array(
        select row(
            s.scope_id, s.label, s.chunks,
            case
                when vector_leg.query is null then 'none'
                when vector_leg.as_of is not null or s.running <= _exact_limit then 'exact'
                else 'index'
            end,
            case
                when vector_leg.query is null then 'no query vector'
                when vector_leg.as_of is not null
                    then 'no index holds the versions of another day'
                else format(
                    '%s chunks, %s with the smaller scopes, %s kb.exact_limit %s',
                    s.chunks, s.running,
                    case when s.running <= _exact_limit then 'within' else 'over' end, _exact_limit
                )
            end
        )::search.scope_plan
        from (
            select
                v.scope_id, v.label, v.chunks,
                sum(v.chunks) over (order by v.chunks, v.scope_id) as running
            from unnest(vector_leg.scopes) as v
        ) as s
        order by s.chunks, s.scope_id
    );
    if vector_leg.query is null then
        return row('{}'::search.vector_hit[], _plans)::search.vector_found;
    end if;
    _small := array(select p.scope_id from unnest(_plans) as p where p.plan = 'exact');
    _large := array(select p.scope_id from unnest(_plans) as p where p.plan = 'index');

    if cardinality(_small) > 0 then
        _hits := array(
            select h
            from search.exact_hits(
                vector_leg.query, vector_leg.set_id, _small, vector_leg.statuses, vector_leg.tags,
                vector_leg.candidates, vector_leg.as_of
            ) as h
        );
    end if;
    if cardinality(_large) > 0 then
        _more := array(
            select h
            from search.index_hits(
                vector_leg.query, vector_leg.set_id, _large, vector_leg.statuses, vector_leg.tags,
                vector_leg.candidates
            ) as h
        );
        if cardinality(_more) < vector_leg.candidates then
            _topped_up := format(
                '; the index found %s of %s, so an exact scan followed',
                cardinality(_more), vector_leg.candidates
            );
            _plans := array(
                select row(
                    p.scope_id, p.label, p.chunks,
                    case p.plan when 'index' then 'index topped up' else p.plan end,
                    p.reason || case p.plan when 'index' then _topped_up else '' end
                )::search.scope_plan
                from unnest(_plans) as p
            );
            _more := array(
                select h
                from search.exact_hits(
                    vector_leg.query, vector_leg.set_id, _large, vector_leg.statuses,
                    vector_leg.tags, vector_leg.candidates
                ) as h
            );
        end if;
    end if;

    _hits := array(
        select row(h.chunk_id, h.similarity, h.rank)::search.vector_hit
        from (
            select
                u.chunk_id, u.similarity,
                rank() over (order by round(u.similarity::numeric, 9) desc) as rank
            from unnest(_hits || _more) as u
            where u.similarity >= vector_leg.floor
        ) as h
        order by h.rank, h.chunk_id
        limit vector_leg.candidates
    );
    return row(_hits, _plans)::search.vector_found;
end;
$func$;

comment on function search.vector_leg is
'The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter''s selectivity; and how each scope was read.';
