-- intake.refuse_upload_file
-- Say why a file of an upload will never be stored; false when somebody else has the task by now.
--
-- called by  ingest/uploads/calls.py
-- writes     intake.upload_file, queue.task
-- locks      the task, against another worker

create or replace function intake.refuse_upload_file(
    upload_id bigint,
    task_id bigint,
    lease_token uuid,
    place integer,
    name text,
    reason text
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if not queue.heartbeat(refuse_upload_file.task_id, refuse_upload_file.lease_token) then
        return false;
    end if;
    insert into intake.upload_file (upload_id, position, name, outcome, reason)
    select
        u.upload_id, refuse_upload_file.place, refuse_upload_file.name, 'refused',
        left(refuse_upload_file.reason, 500)
    from intake.upload as u
    where u.upload_id = refuse_upload_file.upload_id
    on conflict on constraint upload_file_pk do nothing;
    return true;
end;
$func$;

comment on function intake.refuse_upload_file is
'Say why a file of an upload will never be stored; false when somebody else has the task by now.';
