-- crawl.purge_jobs
-- Remove runs that ended long ago, but for the last of each site; returns how many. What is known of pages stays.
--
-- called by  ingest/crawl/sites/calls.py (worker upkeep)
-- writes     crawl.job, crawl.visit

create or replace function crawl.purge_jobs(kept_for interval default '30 days')
returns integer
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with purged_job as (
        delete from crawl.job as j
        where
            j.finished_at < now() - purge_jobs.kept_for
            and exists (
                select from crawl.job as l
                where l.site_id = j.site_id and l.job_id > j.job_id
            )
        returning 1
    )

    select count(*)::integer from purged_job;
$func$;

comment on function crawl.purge_jobs is
'Remove runs that ended long ago, but for the last of each site; returns how many. What is known of pages stays.';
