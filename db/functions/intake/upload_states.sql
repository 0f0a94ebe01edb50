-- intake.upload_states
-- Every file of an upload that was read and its state now: publishing, stored, unchanged, updated, duplicate, refused or failed.
--
-- called by  intake.upload_status, intake.purge_uploads
-- raises     nothing

create or replace function intake.upload_states(upload_id bigint)
returns table (
    place integer,
    name text,
    state text,
    reason text,
    title text,
    document_id bigint,
    existing_source text
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        f.position,
        f.name,
        case
            when f.outcome <> 'staged' then f.outcome
            when v.state in ('published', 'superseded') then 'stored'
            when t.task_id is null or t.dead then 'failed'
            else 'publishing'
        end,
        case
            when v.state in ('published', 'superseded') then null
            when f.outcome = 'staged' and v.version_id is null then 'its text was given up'
            else coalesce(f.reason, t.last_error)
        end,
        f.title,
        v.document_id,
        f.existing_source
    from intake.upload_file as f
    left join corpus.version as v on f.version_id = v.version_id
    left join queue.task as t
        on f.outcome = 'staged' and t.kind = 'publish_version' and t.subject_id = f.version_id
    where f.upload_id = upload_states.upload_id;
$func$;

comment on function intake.upload_states is
'Every file of an upload that was read and its state now: publishing, stored, unchanged, updated, duplicate, refused or failed.';
