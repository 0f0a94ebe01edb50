-- crawl.add_visits
-- Put addresses a run has found into its frontier, each once; returns how many are new to it.
--
-- links holds objects of url, wanted (its text is kept), blocked (robots.txt forbids it) and depth,
-- where it differs; what is left out is false. Of an address named twice it is enough to be wanted once. An address that
-- is to be left alone until later is passed over, unless it is a seed. Of a path that was not known
-- sixty variants are followed, as more are filters of one list, and a run knows ten times as many
-- addresses as it may ask for: whatever makes links without end is cut off there. What a run begins
-- with, new pages and known ones take turns, one of each kind, in the order given.
--
-- called by  crawl.begin_job, crawl.record_page, crawl.record_moved, crawl.record_sitemap,
--            crawl.record_robots
-- writes     crawl.visit, crawl.host

create or replace function crawl.add_visits(job_id bigint, links jsonb, depth integer)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _most_variants constant integer := 60;
    _site crawl.site;
    _room integer;
    _turns integer[];
    _added integer;
begin
    select s.* into _site
    from crawl.job as j
    inner join crawl.site as s on j.site_id = s.site_id
    where j.job_id = add_visits.job_id;
    if add_visits.depth > _site.max_depth or jsonb_array_length(add_visits.links) = 0 then
        return 0;
    end if;
    select
        10 * _site.max_pages - count(*),
        array[
            count(*) filter (where v.kind = 'page' and v.priority % 3 = 0),
            count(*) filter (where v.priority % 3 = 1),
            count(*) filter (where v.priority % 3 = 2)
        ]
    into _room, _turns
    from crawl.visit as v
    where v.job_id = add_visits.job_id;

    insert into crawl.host as h (host)
    select distinct crawl.host_of(l.url)
    from jsonb_to_recordset(add_visits.links) as l (url text)
    where crawl.host_of(l.url) is not null
    -- in one order, so that two runs cannot wait for each other
    order by 1
    on conflict (host) do nothing;

    insert into crawl.visit as v (
        job_id, url, host, depth, priority, wanted, was_known, outcome, finished_at
    )
    select
        add_visits.job_id,
        l.url,
        crawl.host_of(l.url),
        l.depth,
        k.kind + 3 * (
            _turns[k.kind + 1] + row_number() over (partition by k.kind order by l.place) - 1
        ),
        l.wanted or coalesce(u.wanted, false),
        coalesce(u.document_id is not null and not u.is_archived, false),
        case when l.blocked then 'blocked' end,
        case when l.blocked then clock_timestamp() end
    from (
        select
            r.value ->> 'url' as url,
            row_number() over (
                partition by split_part(r.value ->> 'url', '?', 1) order by min(r.place)
            ) as variant,
            bool_or(coalesce((r.value ->> 'wanted')::boolean, false)) as wanted,
            bool_and(coalesce((r.value ->> 'blocked')::boolean, false)) as blocked,
            min(coalesce((r.value ->> 'depth')::integer, add_visits.depth)) as depth,
            min(r.place) as place
        from jsonb_array_elements(add_visits.links) with ordinality as r (value, place)
        group by r.value ->> 'url'
    ) as l
    left join crawl.url as u on u.site_id = _site.site_id and u.url = l.url
    cross join lateral (
        select case when l.depth = 0 then 0 when u.last_checked is null then 1 else 2 end as kind
    ) as k
    left join (
        select split_part(k.url, '?', 1) as path, count(*) as known
        from crawl.visit as k
        where k.job_id = add_visits.job_id and k.url like '%?%'
        group by 1
    ) as p on p.path = split_part(l.url, '?', 1)
    where
        crawl.host_of(l.url) is not null
        and (u.next_check is null or u.next_check <= now() or l.url = any(_site.seeds))
        and not exists (
            select from crawl.visit as k
            where k.job_id = add_visits.job_id and k.url = l.url
        )
        and (
            u.url_id is not null or l.url not like '%?%'
            or l.variant + coalesce(p.known, 0) <= _most_variants
        )
    order by l.place
    limit greatest(_room, 0)
    on conflict on constraint visit_once_per_job do nothing;
    get diagnostics _added = row_count;

    -- found before as a page that is only read for its links, wanted now
    update crawl.visit as v
    set wanted = true
    from jsonb_to_recordset(add_visits.links) as l (url text, wanted boolean)
    where v.job_id = add_visits.job_id and v.url = l.url and l.wanted and not v.wanted
        and v.outcome is null;

    -- what robots.txt forbids is known as such from now on
    insert into crawl.url as u (site_id, url, depth, wanted, blocked_by_robots, last_checked, next_check)
    select _site.site_id, v.url, v.depth, v.wanted, true, now(), now() + interval '7 days'
    from crawl.visit as v
    where
        v.job_id = add_visits.job_id and v.outcome = 'blocked'
        and v.url in (
            select l.url from jsonb_to_recordset(add_visits.links) as l (url text, blocked boolean)
            where l.blocked
        )
    on conflict on constraint url_once_per_site do update
    set
        blocked_by_robots = true,
        last_checked = excluded.last_checked,
        next_check = excluded.next_check;
    return _added;
end;
$func$;

comment on function crawl.add_visits is
'Put addresses a run has found into its frontier, each once; returns how many are new to it.';
