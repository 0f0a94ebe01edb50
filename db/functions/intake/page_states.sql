-- intake.page_states
-- Every page of a batch and its state now: waiting, fetching, retrying, publishing, stored, unchanged, duplicate, refused or failed.
--
-- A page's own row knows only what was final when it was fetched; the rest is read where it is
-- true: in the queue and in the version.
--
-- called by  intake.batch_status, intake.purge_batches
-- raises     nothing

create or replace function intake.page_states(batch_id uuid)
returns table (
    page_id bigint,
    place integer,
    url text,
    state text,
    reason text,
    final_url text,
    title text,
    document_id bigint,
    existing_source text,
    attempts integer,
    next_try timestamptz
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        p.page_id,
        p.position,
        p.url,
        case
            when p.outcome in ('unchanged', 'duplicate', 'refused') then p.outcome
            when v.state in ('published', 'superseded') then 'stored'
            when t.task_id is null or t.dead then 'failed'
            when p.outcome = 'staged' then 'publishing'
            when t.claimed_by is not null then 'fetching'
            when t.attempts > 0 then 'retrying'
            else 'waiting'
        end,
        case
            when v.state in ('published', 'superseded') then null
            when p.outcome is null and t.task_id is null then 'its task was taken from the queue'
            when p.outcome = 'staged' and v.version_id is null then 'its text was given up'
            else coalesce(p.reason, t.last_error)
        end,
        p.final_url,
        p.title,
        v.document_id,
        p.existing_source,
        t.attempts,
        case when t.claimed_by is null and not t.dead then t.ready_at end
    from intake.page as p
    left join corpus.version as v on p.version_id = v.version_id
    left join queue.task as t
        on t.kind = case
            when p.outcome is null then 'fetch_page' when p.outcome = 'staged' then 'publish_version'
        end
        and t.subject_id = case when p.outcome is null then p.page_id else p.version_id end
    where p.batch_id = page_states.batch_id;
$func$;

comment on function intake.page_states is
'Every page of a batch and its state now: waiting, fetching, retrying, publishing, stored, unchanged, duplicate, refused or failed.';
