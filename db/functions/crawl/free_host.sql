-- crawl.free_host
-- Let others ask the host a task held, once its delay has passed from now; at once when it was not asked.
--
-- Turns that crawl.take_turn has given away meanwhile stay theirs.
--
-- called by  crawl.close_visit, crawl.record_robots, crawl.record_failed
-- writes     crawl.host

create or replace function crawl.free_host(
    task_id bigint,
    lease_token uuid,
    was_asked boolean default true,
    wait interval default '0'
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    update crawl.host as h
    set
        held_by_task = null,
        held_token = null,
        next_at = case
            when free_host.was_asked then greatest(
                h.next_at,
                clock_timestamp() + greatest(h.site_delay, h.robots_delay, free_host.wait)
            )
            when h.next_at > clock_timestamp() + greatest(h.site_delay, h.robots_delay)
                then h.next_at
            else clock_timestamp()
        end
    where h.held_by_task = free_host.task_id and h.held_token = free_host.lease_token;
$func$;

comment on function crawl.free_host is
'Let others ask the host a task held, once its delay has passed from now; at once when it was not asked.';
