-- search.vector_leg
-- The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter's selectivity; and how each scope was read.
--
-- A scope of kb.own_index chunks, or of more than may be scanned, is read through its own index
-- where it has one. Of the others, the smaller ones that hold no more than search.scan_limit chunks
-- together are scanned, the rest goes through the indexes of local text; where either
-- under-fills, an exact scan tops it up. A set whose index holds bits has them scanned
-- (search.bit_hits) where there are more chunks than are ranked by their vectors anyway. Tags that
-- no more than search.scan_limit visible chunks carry are scanned whatever the scopes: by bits
-- where the set has them and more carry the tags than are ranked by their vectors anyway, else
-- exactly, up to kb.exact_limit. So is as_of, always exactly.
--
-- called by  search.rank_candidates, dba.measure_recall, dba.prewarm
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
    _by_bits boolean := vector_leg.as_of is null and (
        select s.index_kind = 'binary' from embedding.set as s where s.set_id = vector_leg.set_id
    );
    _scan_limit bigint := search.scan_limit(_by_bits);
    _exact_tags bigint;   -- with so many chunks that carry the tags their vectors are read
    -- national text has an index from the first chunk, other scopes by embedding.index_statements
    _own_from bigint := least(config.value('kb.own_index')::bigint, _scan_limit + 1);
    -- so many are ranked by their vectors in any case
    _depth integer := search.rerank_depth(
        vector_leg.candidates, public.vector_dims(vector_leg.query)
    );
    _plans search.scope_plan[];
    _scope_ids bigint[] := array(select v.scope_id from unnest(vector_leg.scopes) as v);
    _tagged bigint;   -- visible chunks with the tags, counted no further than matters; NULL: no tags
    _tagged_ids bigint[];   -- these
    _small bigint[];
    _scanned bigint[];   -- by bits
    _large bigint[];
    _own bigint[] := '{}';   -- scopes with an index of their own
    _group bigint[];
    _found search.vector_hit[];
    _hits search.vector_hit[];
begin
    _exact_tags := case when _by_bits then least(_depth, _exact_limit) else _exact_limit end;
    if vector_leg.query is not null and vector_leg.tags is not null and vector_leg.as_of is null then
        _tagged_ids := array(
            select t.chunk_id
            from search.tagged_chunks(
                vector_leg.tags, _scope_ids, vector_leg.statuses, _scan_limit + 1
            ) as t
        );
        _tagged := cardinality(_tagged_ids);
    end if;
    if vector_leg.query is not null and vector_leg.as_of is null
        and (_tagged is null or _tagged > _scan_limit)
    then
        _own := array(
            select v.scope_id
            from unnest(vector_leg.scopes) as v
            where case
                -- not looked for where it is small
                when v.chunks >= _own_from
                    then embedding.has_own_index(vector_leg.set_id, v.scope_id)
            end
        );
    end if;
    _plans := array(
        select row(
            s.scope_id, s.label, s.chunks,
            case
                when vector_leg.query is null then 'none'
                when s.scope_id = any(_own) then 'index'
                when vector_leg.as_of is not null or _tagged <= _exact_tags then 'exact'
                when _tagged <= _scan_limit then 'bits'
                when s.running > _scan_limit then 'index'
                when _by_bits and s.scannable > _depth then 'bits'
                else 'exact'
            end,
            case
                when vector_leg.query is null then 'no query vector'
                when vector_leg.as_of is not null
                    then 'no index holds the versions of another day'
                when _tagged <= _exact_tags
                    then format(
                        '%s visible chunks carry the tags, within %s %s',
                        _tagged,
                        case
                            when _exact_tags < _exact_limit
                                then 'what is ranked by vectors anyway,'
                            else 'kb.exact_limit'
                        end,
                        _exact_tags
                    )
                when _tagged <= _scan_limit
                    then format(
                        'the visible chunks that carry the tags are within four times kb.exact_limit %s',
                        _exact_limit
                    )
                when s.scope_id = any(_own)
                    then format(
                        '%s chunks with an index of their own, which is read from %s on',
                        s.chunks, _own_from
                    )
                else format(
                    '%s chunks, %s with the smaller scopes, %s %skb.exact_limit %s',
                    s.chunks, s.running,
                    case when s.running <= _scan_limit then 'within' else 'over' end,
                    case when _by_bits then 'four times ' else '' end, _exact_limit
                )
            end
        )::search.scope_plan
        from (
            select
                r.*,
                -- in all that is scanned
                max(r.running) filter (where r.running <= _scan_limit) over () as scannable
            from (
                select
                    v.scope_id, v.label, v.chunks,
                    sum(v.chunks) filter (where v.scope_id <> all(_own))
                        over (order by v.chunks, v.scope_id) as running
                from unnest(vector_leg.scopes) as v
            ) as r
        ) as s
        order by s.chunks, s.scope_id
    );
    if vector_leg.query is null or _tagged = 0 then
        return row('{}'::search.vector_hit[], _plans, _tagged)::search.vector_found;
    end if;
    _small := array(select p.scope_id from unnest(_plans) as p where p.plan = 'exact');
    _scanned := array(select p.scope_id from unnest(_plans) as p where p.plan = 'bits');
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
    for _group in
        select _scanned
        where cardinality(_scanned) > 0
        union all
        select array[o.scope_id]
        from unnest(_own) as o (scope_id)
        union all
        select l.scope_ids
        from (
            select array_agg(g.scope_id) as scope_ids
            from unnest(_large) as g (scope_id)
            where g.scope_id <> all(_own)
            group by embedding.index_part(g.scope_id)
        ) as l
    loop
        if _group = _scanned then
            _found := array(
                select h
                from search.bit_hits(
                    vector_leg.query, vector_leg.set_id, _group, vector_leg.statuses,
                    vector_leg.tags, vector_leg.candidates,
                    case when _tagged <= _scan_limit then _tagged_ids end
                ) as h
            );
        else
            _found := array(
                select h
                from search.index_hits(
                    vector_leg.query, vector_leg.set_id, _group, vector_leg.statuses,
                    vector_leg.tags, vector_leg.candidates
                ) as h
            );
        end if;
        if cardinality(_found) < vector_leg.candidates then
            _plans := array(
                select row(
                    p.scope_id, p.label, p.chunks,
                    case when p.scope_id = any(_group) then p.plan || ' topped up' else p.plan end,
                    p.reason || case
                        when p.scope_id = any(_group) then format(
                            '; %s found %s of %s, so an exact scan followed',
                            case when _group = _scanned then 'the bits' else 'the index' end,
                            cardinality(_found), vector_leg.candidates
                        )
                        else ''
                    end
                )::search.scope_plan
                from unnest(_plans) as p
            );
            _found := array(
                select h
                from search.exact_hits(
                    vector_leg.query, vector_leg.set_id, _group, vector_leg.statuses,
                    vector_leg.tags, vector_leg.candidates
                ) as h
            );
        end if;
        _hits := _hits || _found;
    end loop;

    _hits := array(
        select row(h.chunk_id, h.similarity, h.rank)::search.vector_hit
        from (
            select
                u.chunk_id, u.similarity,
                rank() over (order by round(u.similarity::numeric, 9) desc) as rank
            from unnest(_hits) as u
            where u.similarity >= vector_leg.floor
        ) as h
        order by h.rank, h.chunk_id
        limit vector_leg.candidates
    );
    return row(_hits, _plans, _tagged)::search.vector_found;
end;
$func$;

comment on function search.vector_leg is
'The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter''s selectivity; and how each scope was read.';
