-- crawl.begin_job
-- Begin a run: its frontier is the seeds and every known page that is due.
--
-- Those seen longest ago first, seeds among themselves as well, so that a budget leaves out others
-- each time.
--
-- called by  crawl.next_step
-- writes     crawl.job, crawl.visit, crawl.host

create or replace function crawl.begin_job(job_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _site crawl.site;
begin
    select s.* into strict _site
    from crawl.job as j
    inner join crawl.site as s on j.site_id = s.site_id
    where j.job_id = begin_job.job_id;
    perform crawl.add_visits(
        begin_job.job_id,
        jsonb_agg(
            jsonb_build_object('url', p.url, 'wanted', p.wanted, 'depth', p.depth)
            order by p.last_checked nulls first, p.place, p.url_id
        ),
        0
    )
    from (
        select
            coalesce(u.url, s.url) as url,
            -- a school's home page is not itself a policy
            coalesce(u.wanted, false) or (s.url is not null and _site.school_urn is null) as wanted,
            case when s.url is not null then 0 else u.depth end as depth,
            u.last_checked,
            u.url_id,
            s.place
        from (select k.* from crawl.url as k where k.site_id = _site.site_id) as u
        full join unnest(_site.seeds) with ordinality as s (url, place) on u.url = s.url
        where s.url is not null or (u.next_check <= now() and u.depth <= _site.max_depth)
    ) as p;
    update crawl.job as j
    set
        state = 'running',
        started_at = clock_timestamp(),
        known = (
            select count(*) from crawl.visit as v
            where v.job_id = begin_job.job_id and v.was_known
        )
    where j.job_id = begin_job.job_id;
end;
$func$;

comment on function crawl.begin_job is
'Begin a run: its frontier is the seeds and every known page that is due.';
