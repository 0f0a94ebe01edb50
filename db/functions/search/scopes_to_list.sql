-- search.scopes_to_list
-- The scopes whose posting lists are to be made: large ones without, and those that changed by a twentieth since.
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
            config.value('kb.list_recent')::bigint as list_recent
    )

    select
        z.scope_id,
        z.chunks,
        case
            when l.scope_id is null then format('%s chunks and no posting lists', z.chunks)
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
    where
        z.scope_id > 0
        and z.chunks >= s.list_scope
        and (
            l.scope_id is null
            or r.came > s.list_recent / 2
            or (r.came + g.gone) * 20 > z.chunks
        )
    order by z.chunks desc, z.scope_id;
$func$;

comment on function search.scopes_to_list is
'The scopes whose posting lists are to be made: large ones without, and those that changed by a twentieth since.';
