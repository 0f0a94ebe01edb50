-- queue.next_ready
-- How long until a task of these kinds is ready; NULL when none waits.
--
-- Nobody is told when an instant comes, so a worker sleeps no longer than this.
--
-- called by  ingest/queue/calls.py

create or replace function queue.next_ready(kinds text[] default null)
returns interval
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select min(t.ready_at) - clock_timestamp()
    from queue.task as t
    where not t.dead and (next_ready.kinds is null or t.kind = any(next_ready.kinds));
$func$;

comment on function queue.next_ready is
'How long until a task of these kinds is ready; NULL when none waits.';
