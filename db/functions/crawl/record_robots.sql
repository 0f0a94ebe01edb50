-- crawl.record_robots
-- Keep what a host's robots.txt says for a day; false when the task is lost. NULL robots means that it could not be read: the host is left alone for a while.
--
-- An empty one allows everything (404). A failure, 429 and 5xx mean "not now", for as long as wait
-- says. After three failures in a row the pages of that host fail in this run. Rules that changed
-- open again what was blocked, in this run and for the next ones. The probe, an address that cannot
-- exist, is asked for before any page: what the host says of it is no page (crawl.record_probe).
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.host, crawl.visit, crawl.url, crawl.job, queue.task

create or replace function crawl.record_robots(
    job_id bigint,
    task_id bigint,
    lease_token uuid,
    host text,
    status integer,
    robots text,
    delay interval default null,
    sitemaps text[] default '{}',
    wait interval default null,
    probe text default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _most_failures constant integer := 3;
    _old crawl.host;
    _hash bytea := sha256(convert_to(record_robots.robots, 'UTF8'));
    _failed bigint;
begin
    perform from queue.task as t
    where
        t.task_id = record_robots.task_id and t.lease_token = record_robots.lease_token
        and t.subject_id = record_robots.job_id and t.kind = 'crawl_job'
    for update;
    if not found then
        return false;
    end if;
    perform from crawl.job as j where j.job_id = record_robots.job_id for update;
    select h.* into _old from crawl.host as h where h.host = record_robots.host for update;
    if record_robots.robots is null then
        perform crawl.free_host(
            record_robots.task_id, record_robots.lease_token,
            wait => least(interval '1 day', coalesce(record_robots.wait, interval '30 minutes'))
        );
        update crawl.host as h
        set
            robots_failures = least(h.robots_failures + 1, 20),
            robots_status = record_robots.status
        where h.host = record_robots.host;
        if _old.robots_failures + 1 >= _most_failures then
            with failed_visit as (
                update crawl.visit as v
                set
                    outcome = 'failed',
                    reason = 'robots.txt of its host cannot be read',
                    finished_at = clock_timestamp()
                where
                    v.job_id = record_robots.job_id and v.host = record_robots.host
                    and v.outcome is null
                returning v.was_known
            )

            select count(*) filter (where f.was_known) into _failed from failed_visit as f;
            update crawl.job as j
            set lost = j.lost + _failed
            where j.job_id = record_robots.job_id;
        end if;
    else
        perform crawl.free_host(record_robots.task_id, record_robots.lease_token);
        update crawl.host as h
        set
            robots = record_robots.robots,
            robots_status = record_robots.status,
            robots_hash = _hash,
            robots_fetched_at = clock_timestamp(),
            robots_expires_at = clock_timestamp() + interval '1 day',
            robots_failures = 0,
            -- a site that asks for more patience would never be done
            robots_delay = case
                when record_robots.delay > interval '0'
                    then least(record_robots.delay, interval '5 minutes')
            end
        where h.host = record_robots.host;
        if _old.robots_hash is distinct from _hash then
            update crawl.url as u
            set blocked_by_robots = false, next_check = now()
            where u.blocked_by_robots and crawl.host_of(u.url) = record_robots.host;
            update crawl.visit as v
            set outcome = null, reason = null, finished_at = null
            where
                v.job_id = record_robots.job_id and v.host = record_robots.host
                and v.outcome = 'blocked';
            -- those the last rules blocked were left out when this run began
            perform crawl.add_visits(
                record_robots.job_id,
                jsonb_agg(jsonb_build_object('url', u.url, 'wanted', u.wanted) order by u.url_id),
                u.depth
            )
            from crawl.url as u
            inner join crawl.job as j on u.site_id = j.site_id
            where
                j.job_id = record_robots.job_id
                and u.next_check <= now()
                and crawl.host_of(u.url) = record_robots.host
            group by u.depth;
        end if;
        perform crawl.add_sitemaps(record_robots.job_id, record_robots.sitemaps);
        insert into crawl.visit as v (job_id, url, host, kind, depth, wanted)
        select record_robots.job_id, record_robots.probe, record_robots.host, 'probe', -1, false
        where
            record_robots.probe is not null
            and not exists (
                select from crawl.visit as o
                where
                    o.job_id = record_robots.job_id and o.host = record_robots.host
                    and o.kind = 'probe'
            );
    end if;
    update crawl.job as j set current_url = null where j.job_id = record_robots.job_id;
    perform queue.enqueue('crawl_job', record_robots.job_id);
    return true;
end;
$func$;

comment on function crawl.record_robots is
'Keep what a host''s robots.txt says for a day; false when the task is lost. NULL robots means that it could not be read: the host is left alone for a while.';
