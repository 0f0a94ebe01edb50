-- crawl.close_visit
-- Be done with a visit: its outcome, the turn of its host, and the run's task ready for whoever comes next.
--
-- When too many known pages are lost the run stops, before anything is retired. A page whose
-- document is kept is none of them.
--
-- called by  crawl.*
-- writes     crawl.visit, crawl.job, crawl.host, queue.task, and what crawl.finish_job writes

create or replace function crawl.close_visit(
    task_id bigint,
    lease_token uuid,
    visit crawl.visit,
    outcome text,
    reason text default null,
    successor text default null,
    size bigint default 0,
    was_parsed boolean default false,
    was_asked boolean default true,
    keeps_document boolean default false
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _job crawl.job;
begin
    update crawl.visit as v
    set
        outcome = close_visit.outcome,
        reason = left(close_visit.reason, 500),
        successor = close_visit.successor,
        finished_at = clock_timestamp()
    where v.visit_id = (close_visit.visit).visit_id;
    perform crawl.free_host(close_visit.task_id, close_visit.lease_token, close_visit.was_asked);
    update crawl.job as j
    set
        bytes = j.bytes + coalesce(close_visit.size, 0),
        parsed = j.parsed + close_visit.was_parsed::integer,
        -- what was not asked for does not count against the budget
        requests = j.requests - (not close_visit.was_asked)::integer,
        lost = j.lost + (
            (close_visit.visit).was_known
            and not close_visit.keeps_document
            and close_visit.outcome in (
                'gone', 'missing', 'withdrawn', 'empty', 'failed', 'needs_post', 'moved',
                'duplicate', 'outside'
            )
        )::integer,
        current_url = null
    where j.job_id = (close_visit.visit).job_id
    returning j.* into _job;
    if crawl.is_mass_loss(_job) then
        perform crawl.finish_job(
            _job.job_id, 'stopped',
            format('%s of %s known pages were not there: nothing was retired', _job.lost, _job.known)
        );
        perform queue.finish_task(close_visit.task_id, close_visit.lease_token);
        return;
    end if;
    perform queue.enqueue('crawl_job', _job.job_id);
end;
$func$;

comment on function crawl.close_visit is
'Be done with a visit: its outcome, the turn of its host, and the run''s task ready for whoever comes next.';
