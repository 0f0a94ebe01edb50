-- crawl.cancel_job
-- Call a run off; what it has stored stays, what it has not seen stays as it was.
--
-- What it found and has not looked at is left to the next run.
--
-- definer because  the app's administrators may call a run off, but touch neither queue nor tables
-- called by  ingest/crawl/sites/calls.py, administrators
-- writes     crawl.job, crawl.url, queue.task
-- raises     WC001 unknown run, WC004 the run is over

create or replace function crawl.cancel_job(job_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    -- first the task, as whoever works on it: who holds it is finished first
    perform from queue.task as t
    where t.kind = 'crawl_job' and t.subject_id = cancel_job.job_id
    for update;
    perform crawl.check_job(cancel_job.job_id, '{pending,running,paused}');
    perform crawl.keep_frontier(cancel_job.job_id);
    update crawl.job as j
    set state = 'cancelled', finished_at = clock_timestamp(), current_url = null
    where j.job_id = cancel_job.job_id;
    delete from queue.task as t
    where t.kind = 'crawl_job' and t.subject_id = cancel_job.job_id;
end;
$func$;

comment on function crawl.cancel_job is
'Call a run off; what it has stored stays, what it has not seen stays as it was.';
