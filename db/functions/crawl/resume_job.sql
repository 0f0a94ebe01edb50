-- crawl.resume_job
-- Go on with a run that was paused, or that stopped because too much was lost; accept_loss says that the pages are really gone.
--
-- definer because  the app's administrators may resume a run, but touch neither queue nor tables
-- called by  ingest/crawl/sites/calls.py, administrators
-- writes     crawl.job, queue.task
-- raises     WC001 unknown run, WC004 the run goes on, is over, or a later one of its site is known

create or replace function crawl.resume_job(job_id bigint, accept_loss boolean default false)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _job crawl.job;
begin
    perform from queue.task as t
    where t.kind = 'crawl_job' and t.subject_id = resume_job.job_id
    for update;
    _job := crawl.check_job(resume_job.job_id, '{paused,stopped}');
    if _job.state = 'stopped' and not resume_job.accept_loss then
        raise exception 'run % stopped: %', _job.job_id, _job.reason
            using errcode = 'WC004',
                  hint = 'Look at the site. If its pages are really gone, resume with accept_loss.';
    end if;
    -- what it saw is outdated
    if _job.state = 'stopped' and exists (
        select from crawl.job as l where l.site_id = _job.site_id and l.job_id > _job.job_id
    ) then
        raise exception 'run % is not the last of its site', _job.job_id
            using errcode = 'WC004', hint = 'Ask for a new run: it sees which pages are there now.';
    end if;
    update crawl.job as j
    set
        resumed_at = clock_timestamp(),
        state = case when j.started_at is null then 'pending' else 'running' end,
        finished_at = null,
        reason = null,
        accepts_loss = j.accepts_loss or resume_job.accept_loss
    where j.job_id = _job.job_id;
    -- a page that is still under way keeps its lease
    if not exists (
        select from queue.task as t where t.kind = 'crawl_job' and t.subject_id = _job.job_id
    ) then
        perform queue.enqueue('crawl_job', _job.job_id);
    end if;
exception when unique_violation then
    raise exception 'another run over the site of run % is open', resume_job.job_id
        using errcode = 'WC004', hint = 'Wait for it, or cancel it first.';
end;
$func$;

comment on function crawl.resume_job is
'Go on with a run that was paused, or that stopped because too much was lost; accept_loss says that the pages are really gone.';
