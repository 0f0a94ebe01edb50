-- queue.task__wake_workers
-- Work that anybody may take wakes the workers that listen; they also poll, so a lost notice costs seconds.

create or replace function queue.task__wake_workers()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform pg_notify('pgkb_task', new.kind);
    return null;
end;
$func$;

comment on function queue.task__wake_workers is
'Work that anybody may take wakes the workers that listen; they also poll, so a lost notice costs seconds.';

create or replace trigger task__wake_workers
after insert or update of claimed_by on queue.task
for each row when (new.claimed_by is null and not new.dead)
execute function queue.task__wake_workers();
