-- crawl.finish_job
-- End a run as done or stopped; one that is done settles what was lost, unless that is too much: then it is stopped and nothing is retired.
--
-- What was lost is held against the known pages that were looked at: a budget may end a run before
-- the others. What it found and has not looked at is left to the next run.
--
-- called by  crawl.next_step, crawl.close_visit, which end its task
-- writes     crawl.job, audit.event, and what crawl.settle_losses and crawl.keep_frontier write

create or replace function crawl.finish_job(job_id bigint, state text, reason text default null)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _job crawl.job;
    _state text := finish_job.state;
    _reason text := finish_job.reason;
    _retired integer := 0;
    _seen integer;
begin
    select j.* into strict _job from crawl.job as j where j.job_id = finish_job.job_id for update;
    select count(*) into _seen
    from crawl.visit as v
    where v.job_id = _job.job_id and v.was_known and v.outcome is not null;
    if _state = 'done' and crawl.is_mass_loss(_job, _seen) then
        _state := 'stopped';
        _reason := format(
            '%s of %s known pages were not there: nothing was retired', _job.lost, _seen
        );
    end if;
    if _state = 'done' then
        _retired := crawl.settle_losses(_job.job_id);
    end if;
    perform crawl.keep_frontier(_job.job_id);
    update crawl.job as j
    set
        state = _state,
        reason = _reason,
        finished_at = clock_timestamp(),
        current_url = null,
        retired = j.retired + _retired
    where j.job_id = _job.job_id;
    perform audit.write_event(
        'crawl_' || _state, 'site ' || _job.site_id,
        jsonb_strip_nulls(jsonb_build_object('job', _job.job_id, 'why', _reason))
    );
end;
$func$;

comment on function crawl.finish_job is
'End a run as done or stopped; one that is done settles what was lost, unless that is too much: then it is stopped and nothing is retired.';
