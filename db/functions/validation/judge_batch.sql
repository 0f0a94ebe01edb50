-- validation.judge_batch
-- Judge the documents of a batch, decide unless the run is dry, and send the run's next batch, in one step; how many verdicts, or NULL when somebody else has the task by now.
--
-- Whatever happens to its worker, a batch is judged whole or not at all. It decides on passages
-- nobody has decided on, and leaves what was decided, replaced or taken out since the run began.
--
-- definer because  deciding is not the worker's: here it carries out what a curator asked for
-- called by  ingest/validation/calls.py
-- writes     validation.verdict, validation.batch, validation.run, queue.task, corpus.chunk_fact,
--            audit.event
-- locks      the task; advisory: corpus.lock_titles; then the facts in one order

create or replace function validation.judge_batch(
    batch_id bigint,
    task_id bigint,
    lease_token uuid
)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _batch validation.batch;
    _run validation.run;
    _next bigint;
    _document_id bigint;
begin
    if not queue.finish_task(judge_batch.task_id, judge_batch.lease_token) then
        return null;
    end if;
    select b.* into _batch from validation.batch as b where b.batch_id = judge_batch.batch_id;
    if not found or _batch.judged_at is not null then
        return 0;
    end if;
    perform corpus.lock_titles(_batch.document_ids);
    perform corpus.lock_facts(array(
        select f.chunk_id
        from corpus.version as v
        inner join corpus.chunk as c on v.version_id = c.version_id
        inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
        where v.document_id = any(_batch.document_ids) and v.state = 'published'
    ));
    select r.* into strict _run from validation.run as r where r.run_id = _batch.run_id;
    foreach _document_id in array _batch.document_ids loop
        perform validation.judge_document(_run, _document_id);
    end loop;

    update validation.batch as b
    set judged_at = clock_timestamp()
    where b.batch_id = _batch.batch_id;
    -- whoever ends a batch of this run at the same time waits here, and sees the one that is sent
    perform from validation.run as r where r.run_id = _run.run_id for update;
    select b.batch_id into _next
    from validation.batch as b
    where
        b.run_id = _run.run_id
        and b.judged_at is null
        and not exists (
            select from queue.task as t
            where t.kind = 'validate_batch' and t.subject_id = b.batch_id
        )
    order by b.position
    limit 1;
    if found then
        perform queue.enqueue('validate_batch', _next);
    end if;
    update validation.run as r
    set finished_at = clock_timestamp()
    where
        r.run_id = _run.run_id
        and not exists (
            select from validation.batch as b
            where b.run_id = _run.run_id and b.judged_at is null
        );
    return cardinality(_batch.document_ids);
end;
$func$;

comment on function validation.judge_batch is
'Judge the documents of a batch, decide unless the run is dry, and send the run''s next batch, in one step; how many verdicts, or NULL when somebody else has the task by now.';
