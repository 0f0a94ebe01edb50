-- crawl.add_sitemaps
-- Put sitemaps into the frontier of a run, each once and twenty at most.
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

    insert into crawl.visit as v (job_id, url, host, kind, depth, wanted)
    select add_sitemaps.job_id, s.url, crawl.host_of(s.url), 'sitemap', 0, false
    from unnest(add_sitemaps.sitemaps) with ordinality as s (url, place)
    where
        crawl.host_of(s.url) is not null
        and not exists (
            select from crawl.visit as o
            where o.job_id = add_sitemaps.job_id and o.url = s.url
        )
    order by s.place
    limit (
        select greatest(0, 20 - count(*))
        from crawl.visit as k
        where k.job_id = add_sitemaps.job_id and k.kind = 'sitemap'
    )
    on conflict on constraint visit_once_per_job do nothing;
$func$;

comment on function crawl.add_sitemaps is
'Put sitemaps into the frontier of a run, each once and twenty at most.';
