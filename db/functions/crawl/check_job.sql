-- crawl.check_job
-- A run that is in one of these states, locked; refuse an unknown one and one in another state.
--
-- called by  crawl.pause_job, crawl.resume_job, crawl.cancel_job
-- locks      the run
-- raises     WC001 unknown run, WC004 another state

create or replace function crawl.check_job(job_id bigint, states text[])
returns crawl.job
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _job crawl.job;
begin
    select j.* into _job from crawl.job as j where j.job_id = check_job.job_id for update;
    if not found then
        raise exception 'there is no run %', coalesce(check_job.job_id::text, 'without a number')
            using errcode = 'WC001',
                  hint = 'See: select job_id, site, state from crawl.job_report order by job_id;';
    end if;
    if _job.state <> all(check_job.states) then
        raise exception 'run % is %', _job.job_id, _job.state
            using errcode = 'WC004',
                  hint = format('That is for runs that are %s.', array_to_string(check_job.states, ', '));
    end if;
    return _job;
end;
$func$;

comment on function crawl.check_job is
'A run that is in one of these states, locked; refuse an unknown one and one in another state.';
