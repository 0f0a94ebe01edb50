-- search.scopes_to_list
-- The scopes whose posting lists are to be made: large ones without, and those that changed by a twentieth since.
--
-- And all, when the mean length of the corpus has moved by a tenth or kb.bm25_k1 or kb.bm25_b is
-- another: they are in the scores of a list.
--
-- called by  dba.upkeep_plan, search.refresh_postings
-- raises     ST002 unusable setting

create or replace function search.scopes_to_list()
returns table (scope_id bigint, chunks bigint, why text)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with setting as materialized (
        select
            config.value('kb.list_scope')::bigint as list_scope,
            config.value('kb.list_recent')::bigint as list_recent,
            n.mean_length,
            n.k1,
            n.b
        from search.bm25_settings() as n
    )

    select
        z.scope_id,
        z.chunks,
        case
            when l.scope_id is null then format('%s chunks and no posting lists', z.chunks)
            when m.moved
                then format(
                    'texts had %s tokens on average when it was listed, %s now',
                    round(l.mean_length), round(s.mean_length)
                )
            when m.weighed_otherwise
                then format(
                    'it was listed with kb.bm25_k1 %s and kb.bm25_b %s, they are %s and %s now',
                    coalesce(l.k1::text, 'unknown'), coalesce(l.b::text, 'unknown'), s.k1, s.b
                )
            else format('%s of %s chunks came since it was listed, %s left', r.came, z.chunks, g.gone)
        end
    from search.scope_size as z
    cross join setting as s
    left join search.listed_scope as l on z.scope_id = l.scope_id
    cross join lateral (
        select count(*) as came from search.recent_text as t where t.scope_id = z.scope_id
    ) as r
    cross join lateral (
        select greatest(0, l.chunks + r.came - z.chunks) as gone
    ) as g
    cross join lateral (
        select
            abs(l.mean_length / s.mean_length - 1) > 0.1 as moved,
            (l.k1, l.b) is distinct from (s.k1, s.b) as weighed_otherwise
    ) as m
    where
        z.scope_id > 0
        and z.chunks >= s.list_scope
        and (
            l.scope_id is null
            or r.came > s.list_recent / 2
            or (r.came + g.gone) * 20 > z.chunks
            or m.moved
            or m.weighed_otherwise
        )
    order by z.chunks desc, z.scope_id;
$func$;

comment on function search.scopes_to_list is
'The scopes whose posting lists are to be made: large ones without, and those that changed by a twentieth since.';
