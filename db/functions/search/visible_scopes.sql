-- search.visible_scopes
-- The scopes a caller may see, with their labels and sizes; with everywhere, all authorities instead of national only.
--
-- Visible = the authority's documents without a school, the home authority's without a school,
-- national, the school's own, and private ones owned by or shared with a principal.
--
-- called by  search.retrieve, public.resolve_citation, public.read_document, eval.fill_pool,
--            dba.measure_recall, dba.prewarm
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split

create or replace function search.visible_scopes(
    la text default null,
    home_la text default null,
    urn text default null,
    principals text[] default null,
    everywhere boolean default false
)
returns setof search.visible_scope
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- the plan has one shape whoever asks; planned for each search it took as long as three runs
set plan_cache_mode = force_generic_plan
as $func$
#variable_conflict use_column
declare
    _urn text := nullif(btrim(visible_scopes.urn), '');
    _la text[] := place.authority_family(nullif(btrim(visible_scopes.la), ''));
    _home text[] := place.authority_family(nullif(btrim(visible_scopes.home_la), ''));
begin
    perform place.check_school(_urn);
    return query
    select
        s.scope_id,
        case
            when s.kind = 'national' then 'national'
            when s.kind = 'private' then 'shared'
            when s.kind = 'school' then 'school'
            when s.la_code = any(_la) then 'la'
            when s.la_code = any(_home) then 'home_la'
            else 'la'
        end,
        coalesce((select z.chunks from search.scope_size as z where z.scope_id = s.scope_id), 0)
    from (
        select n.scope_id, n.kind, n.la_code from corpus.scope as n where n.kind = 'national'
        union all
        select a.scope_id, a.kind, a.la_code
        from corpus.scope as a
        where a.kind = 'la' and (visible_scopes.everywhere or a.la_code = any(_la || _home))
        union all
        select u.scope_id, u.kind, u.la_code
        from corpus.scope as u
        where u.kind = 'school' and u.school_urn = _urn
        union all
        select p.scope_id, p.kind, p.la_code
        from corpus.scope as p
        where
            p.kind = 'private'
            and (
                p.owner = any(visible_scopes.principals)
                or p.principals && visible_scopes.principals
            )
    ) as s;
end;
$func$;

comment on function search.visible_scopes is
'The scopes a caller may see, with their labels and sizes; with everywhere, all authorities instead of national only.';
