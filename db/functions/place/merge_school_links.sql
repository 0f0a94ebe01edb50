-- place.merge_school_links
-- Bring the arrived links between schools into place.school_successor; links that say nothing of a succession are outside.
--
-- called by  ingest/registers/calls.py
-- writes     place.school_successor
-- raises     nothing of its own: problems are in the report

create or replace function place.merge_school_links()
returns place.load_report
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _report place.load_report;
begin
    with told_link as (
        select
            a.line,
            a.link_type ~* '^\s*(successor|predecessor)' as succeeds,
            -- a predecessor is the same link, seen from the other end
            btrim(case when a.link_type ~* '^\s*p' then a.link_urn else a.urn end) as urn,
            btrim(case when a.link_type ~* '^\s*p' then a.urn else a.link_urn end) as successor_urn
        from pg_temp.arriving_school_link as a
    ),

    judged_link as (
        select
            t.*,
            case
                when not t.succeeds then null
                when t.urn = t.successor_urn then 'a school cannot succeed itself'
                when s.urn is null
                    then format('school "%s" is not known', left(coalesce(t.urn, ''), 20))
                when n.urn is null
                    then format('school "%s" is not known', left(coalesce(t.successor_urn, ''), 20))
            end as reason
        from told_link as t
        left join place.school as s on t.urn = s.urn
        left join place.school as n on t.successor_urn = n.urn
    ),

    good_link as (
        select distinct j.urn, j.successor_urn
        from judged_link as j
        where j.succeeds and j.reason is null
    ),

    new_link as (
        insert into place.school_successor (urn, successor_urn)
        select g.urn, g.successor_urn
        from good_link as g
        order by g.urn, g.successor_urn
        on conflict do nothing
        returning urn
    )

    select
        (select count(*) from new_link),
        0,
        (select count(*) from good_link) - (select count(*) from new_link),
        0,
        0,
        count(*) filter (where j.succeeds is distinct from true),
        count(j.reason),
        (
            select coalesce(
                jsonb_agg(jsonb_build_object('line', p.line, 'reason', p.reason) order by p.line),
                '[]'
            )
            from (
                select r.line, r.reason
                from judged_link as r
                where r.reason is not null
                order by r.line
                limit 1000
            ) as p
        )
    into _report
    from judged_link as j;
    return _report;
end;
$func$;

comment on function place.merge_school_links is
'Bring the arrived links between schools into place.school_successor; links that say nothing of a succession are outside.';
