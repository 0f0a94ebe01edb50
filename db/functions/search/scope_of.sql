-- search.scope_of
-- Who a question is asked for, with names: the authority, the home authority and the school that the codes resolve to.
--
-- called by  app/calls.py
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split

create or replace function search.scope_of(
    la text default null,
    home_la text default null,
    urn text default null
)
returns table (
    la_code text,
    la_name text,
    home_la_code text,
    home_la_name text,
    school_urn text,
    school_name text
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        r.la_code, a.name, r.home_la_code, h.name,
        -- a check whose result nobody reads would not be made
        case when r.school_la is not null then r.school_urn end,
        s.name
    from (
        select
            place.resolve_authority(nullif(btrim(scope_of.la), '')) as la_code,
            place.resolve_authority(nullif(btrim(scope_of.home_la), '')) as home_la_code,
            nullif(btrim(scope_of.urn), '') as school_urn,
            place.check_school(nullif(btrim(scope_of.urn), '')) as school_la
    ) as r
    left join place.authority as a on r.la_code = a.gss
    left join place.authority as h on r.home_la_code = h.gss
    left join place.school as s on r.school_urn = s.urn;
$func$;

comment on function search.scope_of is
'Who a question is asked for, with names: the authority, the home authority and the school that the codes resolve to.';
