-- crawl.begin_job
-- Begin a run: its frontier is the seeds and every known page that is due.
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
        (
            select jsonb_agg(
                -- a school's home page is not itself a policy
                jsonb_build_object('url', s.url, 'wanted', _site.school_urn is null)
            )
            from unnest(_site.seeds) as s (url)
        ),
        0
    );
    perform crawl.add_visits(
        begin_job.job_id,
        -- those seen longest ago first, so that a budget leaves out others each time
        coalesce(
            jsonb_agg(
                jsonb_build_object('url', u.url, 'wanted', u.wanted, 'depth', u.depth)
                order by u.last_checked nulls first, u.url_id
            ),
            '[]'
        ),
        0
    )
    from crawl.url as u
    where
        u.site_id = _site.site_id
        and u.next_check <= now()
        and u.depth <= _site.max_depth;
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
