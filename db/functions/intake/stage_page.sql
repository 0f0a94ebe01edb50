-- intake.stage_page
-- Store the text of a fetched page and be done with its task, in one step; the outcome, or NULL when somebody else has the task by now.
--
-- The address it was found at is its source: an address that is moved changes no document, and
-- whether it is a national site is told by where it is. Publishing is a task of its own.
--
-- called by  ingest/intake/calls.py
-- writes     intake.page, queue.task, and what corpus.stage_document writes
-- raises     what corpus.stage_document raises

create or replace function intake.stage_page(
    page_id bigint,
    task_id bigint,
    lease_token uuid,
    final_url text,
    title text,
    body text,
    file_type text,
    metadata jsonb
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _batch intake.batch;
    _staged record;
begin
    -- first the fence: it holds the task's row, so that nobody else stages this page meanwhile
    if not queue.finish_task(stage_page.task_id, stage_page.lease_token) then
        return null;
    end if;
    select b.* into _batch
    from intake.page as p
    inner join intake.batch as b on p.batch_id = b.batch_id
    where p.page_id = stage_page.page_id;
    if not found then
        -- the batch is gone, and with it whoever wanted this
        return null;
    end if;
    select s.* into _staged
    from corpus.stage_document(
        source => stage_page.final_url,
        title => stage_page.title,
        body => stage_page.body,
        file_type => stage_page.file_type,
        la_code => _batch.la_code,
        school_urn => _batch.school_urn,
        owner => _batch.owner,
        principals => _batch.principals,
        tags => _batch.tags,
        authority => _batch.authority,
        document_type => _batch.document_type,
        metadata => stage_page.metadata
    ) as s;
    update intake.page as p
    set
        -- what is none of these is a version, this page's or one that somebody else is adding
        -- with the same text, and that tells by itself how far it is
        outcome = case
            when _staged.outcome in ('unchanged', 'duplicate') then _staged.outcome
            when _staged.outcome = 'updated' then 'unchanged'
            else 'staged'
        end,
        final_url = stage_page.final_url,
        title = coalesce(nullif(btrim(stage_page.title), ''), stage_page.final_url),
        version_id = _staged.version_id,
        existing_source = _staged.existing_source,
        finished_at = clock_timestamp()
    where p.page_id = stage_page.page_id;
    return _staged.outcome;
end;
$func$;

comment on function intake.stage_page is
'Store the text of a fetched page and be done with its task, in one step; the outcome, or NULL when somebody else has the task by now.';
