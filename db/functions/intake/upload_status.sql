-- intake.upload_status
-- How far an upload is: its state in a word, and for every file that was read its state and the reason of a refusal.
--
-- state is waiting, reading, retrying, failed, refused or read: all its files were looked at.
-- done says that nothing changes by itself any more.
--
-- called by  app/admin/calls.py
-- raises     UL003 no such upload

create or replace function intake.upload_status(upload_key uuid)
returns table (
    kind text,
    file_name text,
    byte_count bigint,
    created_at timestamptz,
    state text,
    reason text,
    remark text,
    done boolean,
    files jsonb
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _upload intake.upload;
    _task queue.task;
begin
    select u.* into _upload
    from intake.upload as u
    where u.upload_key = upload_status.upload_key;
    if not found then
        raise exception 'there is no upload %', upload_status.upload_key
            using errcode = 'UL003',
                  hint = 'Check its key. An upload is kept for 24 hours after it is done.';
    end if;
    select t.* into _task
    from queue.task as t
    where t.kind = 'read_upload' and t.subject_id = _upload.upload_id;
    kind := _upload.kind;
    file_name := _upload.file_name;
    byte_count := _upload.byte_count;
    created_at := _upload.created_at;
    remark := _upload.remark;
    state := case
        when _upload.refusal is not null then 'refused'
        when _upload.finished_at is not null then 'read'
        when _task.task_id is null or _task.dead then 'failed'
        when _task.claimed_by is not null then 'reading'
        when _task.attempts > 0 then 'retrying'
        else 'waiting'
    end;
    reason := case
        when _upload.finished_at is not null then _upload.refusal
        when _task.task_id is null then 'its task was taken from the queue'
        when _task.cancelled then 'it was called off'
        else _task.last_error
    end;
    done := state in ('read', 'refused', 'failed');
    select
        done and not coalesce(bool_or(s.state = 'publishing'), false),
        coalesce(
            jsonb_agg(
                jsonb_strip_nulls(jsonb_build_object(
                    'name', s.name,
                    'state', s.state,
                    'reason', s.reason,
                    'title', s.title,
                    'documentId', s.document_id,
                    'existing', s.existing_source
                ))
                order by s.place
            ),
            '[]'
        )
    into done, files
    from intake.upload_states(_upload.upload_id) as s;
    return next;
end;
$func$;

comment on function intake.upload_status is
'How far an upload is: its state in a word, and for every file that was read its state and the reason of a refusal.';
