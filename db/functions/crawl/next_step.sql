-- crawl.next_step
-- What the holder of a run's task is to do now: read robots.txt, fetch a sitemap or a page, wait, or nothing more; takes the turn of the host.
--
-- One host is asked by one worker at a time, whatever the number of runs on it and of workers, and
-- not before its delay has passed since the last request was answered. Seeds and sitemaps, new pages
-- in the order found, and known ones, seen longest ago first, take turns (crawl.add_visits), so that
-- no budget leaves a page out for ever. A page whose workers died three times is given up. No row for
-- a lost task.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.job, crawl.visit, crawl.host, queue.task, and what crawl.finish_job writes
-- locks      the task, the run, the host

create or replace function crawl.next_step(
    job_id bigint,
    task_id bigint,
    lease_token uuid,
    extractor text
)
returns setof crawl.step
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _most_attempts constant integer := 3;
    _job crawl.job;
    _site crawl.site;
    _visit crawl.visit;
    _host crawl.host;
    _url crawl.url;
    _done constant crawl.step
    := row('done', null, null, null, null, null, null, null, null, null, null, null)::crawl.step;
    _over text;
    _wait interval;
    _robots_due boolean;
    _asked_url text;
    _etag text;
    _last_modified text;
begin
    perform from queue.task as t
    where
        t.task_id = next_step.task_id and t.lease_token = next_step.lease_token
        and t.subject_id = next_step.job_id and t.kind = 'crawl_job'
    for update;
    if not found then
        return;
    end if;
    select j.* into _job from crawl.job as j where j.job_id = next_step.job_id for update;
    if _job.state in ('pending', 'running') is not true then
        perform queue.finish_task(next_step.task_id, next_step.lease_token);
        return next _done;
        return;
    end if;
    select s.* into _site from crawl.site as s where s.site_id = _job.site_id;
    if _job.state = 'pending' then
        perform crawl.begin_job(_job.job_id);
        select j.* into _job from crawl.job as j where j.job_id = next_step.job_id;
    end if;

    with given_up as (
        update crawl.visit as v
        set
            outcome = 'failed',
            reason = 'whoever worked on it died each time',
            finished_at = clock_timestamp()
        where
            v.job_id = _job.job_id and v.outcome is null and v.attempts >= _most_attempts
            and v.ready_at <= clock_timestamp()
        returning v.was_known
    )

    update crawl.job as j
    set lost = j.lost + g.lost
    from (select count(*) filter (where k.was_known) as lost from given_up as k) as g
    where j.job_id = _job.job_id and g.lost > 0;

    _over := case
        when _job.requests >= _site.max_pages then format('%s pages were asked for', _job.requests)
        when _job.bytes >= _site.max_bytes
            then format('%s came', pg_size_pretty(_job.bytes))
        when clock_timestamp() >= greatest(_job.started_at, _job.resumed_at) + _site.max_time
            then format('it took %s', _site.max_time)
    end;
    if _over is null then
        select v.* into _visit
        from crawl.visit as v
        inner join crawl.host as h on v.host = h.host
        where
            v.job_id = _job.job_id
            and v.outcome is null
            and v.ready_at <= clock_timestamp()
            and h.next_at <= clock_timestamp()
            and not exists (
                select from queue.task as t
                where
                    t.task_id = h.held_by_task and t.lease_token = h.held_token
                    and t.ready_at > clock_timestamp()
            )
        order by v.priority, v.depth, v.visit_id
        limit 1
        for update of h skip locked;
        if not found then
            select min(greatest(v.ready_at, h.next_at)) - clock_timestamp() into _wait
            from crawl.visit as v
            inner join crawl.host as h on v.host = h.host
            where v.job_id = _job.job_id and v.outcome is null;
        end if;
    end if;

    if _visit.visit_id is null and _wait is not null then
        -- a host that another run holds says no instant: look again soon
        _wait := greatest(_wait, interval '200 milliseconds');
        perform queue.release_task(next_step.task_id, next_step.lease_token, wait => _wait);
        return query
        select (
            row(
                'wait', _wait, null, null, null, null, null, null, null, null, null, null
            )::crawl.step
        ).*;
        return;
    end if;
    if _visit.visit_id is null then
        perform crawl.finish_job(_job.job_id, 'done', _over);
        perform queue.finish_task(next_step.task_id, next_step.lease_token);
        return next _done;
        return;
    end if;

    select h.* into strict _host from crawl.host as h where h.host = _visit.host;
    update crawl.host as h
    set
        site_delay = _site.delay,
        next_at = clock_timestamp() + greatest(_site.delay, h.robots_delay),
        held_by_task = next_step.task_id,
        held_token = next_step.lease_token
    where h.host = _host.host;
    _robots_due := _host.robots is null or _host.robots_expires_at <= clock_timestamp();
    _asked_url := case
        when _robots_due then substring(_visit.url from '^https?://[^/?#]+') || '/robots.txt'
        else _visit.url
    end;
    if not _robots_due then
        update crawl.visit as v
        set attempts = v.attempts + 1
        where v.visit_id = _visit.visit_id;
        select u.* into _url
        from crawl.url as u
        where u.site_id = _site.site_id and u.url = _visit.url;
        -- asked whether it changed only where "no" would leave nothing undone
        if _url.extractor = next_step.extractor and crawl.is_held(_url, _visit.wanted)
            and not _url.etag_lies and _url.missing_streak = 0
        then
            _etag := _url.etag;
            _last_modified := _url.last_modified;
        end if;
    end if;
    update crawl.job as j
    set
        current_url = _asked_url,
        -- what has to be known of a host before its pages is no part of the budget
        requests = j.requests + (not _robots_due and _visit.kind <> 'probe')::integer
    where j.job_id = _job.job_id;
    return query
    select
        case when _robots_due then 'robots' else _visit.kind end,
        null::interval,
        _visit.visit_id,
        _asked_url,
        _host.host,
        case when not _robots_due then _visit.depth end,
        case when not _robots_due then _visit.wanted end,
        _etag,
        _last_modified,
        case when not _robots_due then _host.robots end,
        _host.robots_failures,
        case when not _robots_due then _host.missing_text end;
end;
$func$;

comment on function crawl.next_step is
'What the holder of a run''s task is to do now: read robots.txt, fetch a sitemap or a page, wait, or nothing more; takes the turn of the host.';
