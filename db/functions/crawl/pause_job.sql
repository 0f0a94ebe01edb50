-- crawl.pause_job
-- Let a run rest; the page under way is finished first.
--
-- definer because  the app's administrators may rest a run, but not write tables
-- called by  ingest/crawl/sites/calls.py, administrators
-- writes     crawl.job
-- raises     WC001 unknown run, WC004 the run is over

create or replace function crawl.pause_job(job_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform crawl.check_job(pause_job.job_id, '{pending,running,paused}');
    update crawl.job as j
    -- one that has not begun is begun by whoever resumes it
    set state = 'paused'
    where j.job_id = pause_job.job_id;
end;
$func$;

comment on function crawl.pause_job is
'Let a run rest; the page under way is finished first.';
