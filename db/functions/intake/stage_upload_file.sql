-- intake.stage_upload_file
-- Store the text of a file of an upload, and note what became of it, in one step; the outcome, or NULL when somebody else has the task by now.
--
-- A file that was noted before is left as it is: a worker that goes on after another's death gives
-- them all again. Publishing is a task of its own.
--
-- called by  ingest/uploads/calls.py
-- writes     intake.upload_file, queue.task, and what corpus.stage_document writes
-- locks      the task, against another worker
-- raises     what corpus.stage_document raises

create or replace function intake.stage_upload_file(
    upload_id bigint,
    task_id bigint,
    lease_token uuid,
    place integer,
    name text,
    title text,
    body text,
    file_type text,
    metadata jsonb,
    folder_tags text[] default '{}'
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _upload intake.upload;
    _outcome text;
    _staged record;
begin
    if not queue.heartbeat(stage_upload_file.task_id, stage_upload_file.lease_token) then
        return null;
    end if;
    select u.* into _upload
    from intake.upload as u
    where u.upload_id = stage_upload_file.upload_id;
    if not found then
        return null;
    end if;
    select f.outcome into _outcome
    from intake.upload_file as f
    where
        f.upload_id = stage_upload_file.upload_id and f.position = stage_upload_file.place;
    if found then
        return _outcome;
    end if;
    select s.* into _staged
    from corpus.stage_document(
        source => stage_upload_file.name,
        title => coalesce(_upload.title, stage_upload_file.title),
        body => stage_upload_file.body,
        file_type => stage_upload_file.file_type,
        la_code => _upload.la_code,
        school_urn => _upload.school_urn,
        tags => _upload.tags || stage_upload_file.folder_tags,
        authority => _upload.authority,
        document_type => _upload.document_type,
        effective_date => _upload.effective_date,
        metadata => stage_upload_file.metadata,
        title_is_stated => _upload.title is not null
    ) as s;
    _outcome := case
        when _staged.outcome in ('staged', 'unchanged', 'updated', 'duplicate')
            then _staged.outcome
        -- in_progress: somebody else is adding this text now, under this name or another
        when _staged.existing_source = _staged.kept_as then 'unchanged'
        else 'duplicate'
    end;
    insert into intake.upload_file (
        upload_id, position, name, outcome, title, version_id, existing_source
    )
    values (
        stage_upload_file.upload_id, stage_upload_file.place, stage_upload_file.name, _outcome,
        left(coalesce(_upload.title, nullif(btrim(stage_upload_file.title), '')), 300),
        _staged.version_id,
        _staged.existing_source
    );
    return _outcome;
end;
$func$;

comment on function intake.stage_upload_file is
'Store the text of a file of an upload, and note what became of it, in one step; the outcome, or NULL when somebody else has the task by now.';
