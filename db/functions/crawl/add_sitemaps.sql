-- crawl.add_sitemaps
-- Put sitemaps into the frontier of a run, each once and twenty at most.
--
-- They take turns with pages, those read longest ago first, so that neither the twenty nor a budget
-- leaves one out for ever.
--
-- called by  crawl.record_sitemap, crawl.record_robots, crawl.record_moved
-- writes     crawl.visit, crawl.host

create or replace function crawl.add_sitemaps(job_id bigint, sitemaps text[])
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into crawl.host as h (host)
    select distinct crawl.host_of(u.url)
    from unnest(add_sitemaps.sitemaps) as u (url)
    where crawl.host_of(u.url) is not null
    -- in one order, so that two runs cannot wait for each other
    order by 1
    on conflict (host) do nothing;

    with new_sitemap as (
        select
            u.url,
            -- what no kept run has read is in another order each time: runs are purged in the end
            row_number() over (
                order by r.read_at nulls first, hashtextextended(u.url, add_sitemaps.job_id)
            ) as place
        from (select distinct g.url from unnest(add_sitemaps.sitemaps) as g (url)) as u
        left join (
            select o.url, max(o.finished_at) as read_at
            from crawl.job as j
            inner join crawl.job as p on j.site_id = p.site_id
            inner join crawl.visit as o on p.job_id = o.job_id
            where j.job_id = add_sitemaps.job_id and o.kind = 'sitemap'
            group by o.url
        ) as r on u.url = r.url
        where
            crawl.host_of(u.url) is not null
            and not exists (
                select from crawl.visit as o
                where o.job_id = add_sitemaps.job_id and o.url = u.url
            )
    )

    insert into crawl.visit as v (job_id, url, host, kind, depth, priority, wanted)
    select
        add_sitemaps.job_id,
        n.url,
        crawl.host_of(n.url),
        'sitemap',
        0,
        3 * (k.known + n.place - 1),
        false
    from new_sitemap as n
    cross join (
        select count(*) as known
        from crawl.visit as o
        where o.job_id = add_sitemaps.job_id and o.kind = 'sitemap'
    ) as k
    where k.known + n.place <= 20
    order by n.place
    on conflict on constraint visit_once_per_job do nothing;
$func$;

comment on function crawl.add_sitemaps is
'Put sitemaps into the frontier of a run, each once and twenty at most.';
