-- intake.finish_upload
-- Be done with an upload: all its files were read, or all of it is refused; false when somebody else has the task by now.
--
-- called by  ingest/uploads/calls.py
-- writes     intake.upload, queue.task

create or replace function intake.finish_upload(
    upload_id bigint,
    task_id bigint,
    lease_token uuid,
    refusal text default null,
    remark text default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if not queue.finish_task(finish_upload.task_id, finish_upload.lease_token) then
        return false;
    end if;
    update intake.upload as u
    set
        refusal = left(finish_upload.refusal, 500),
        remark = left(finish_upload.remark, 1000),
        finished_at = clock_timestamp()
    where u.upload_id = finish_upload.upload_id;
    return true;
end;
$func$;

comment on function intake.finish_upload is
'Be done with an upload: all its files were read, or all of it is refused; false when somebody else has the task by now.';
