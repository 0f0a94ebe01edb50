-- validation.start_run
-- Ask for verdicts on every document with passages nobody has decided on, all of them or one authority's; workers judge, five batches at a time; the number of the run.
--
-- From the threshold on a document's undecided passages are approved, below it they are flagged. A
-- dry run only writes its verdicts.
--
-- definer because  a curator may ask for a run, but write neither its tables nor the queue
-- called by  app/admin/validation/calls.py, ingest/validation/calls.py
-- writes     validation.run, validation.batch, queue.task, audit.event
-- raises     VA001 a threshold that is no share, PL001 unknown authority

create or replace function validation.start_run(
    dry_run boolean default false,
    la text default null,
    threshold double precision default 0.75,
    actor text default null,
    reason text default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _family text[] := validation.family_of(nullif(btrim(start_run.la), ''));
    _spoken text[];
    _run_id bigint;
begin
    if start_run.threshold is null or not start_run.threshold between 0 and 1 then
        raise exception 'a threshold of % is no share', start_run.threshold
            using errcode = 'VA001', hint = 'Give 0 to 1, e.g. 0.75.';
    end if;
    _spoken := audit.speak_for(start_run.actor, start_run.reason);
    insert into validation.run as r (dry_run, la_code, threshold, requested_by)
    values (
        coalesce(start_run.dry_run, false), nullif(btrim(start_run.la), ''), start_run.threshold,
        audit.actor()
    )
    returning r.run_id into _run_id;

    insert into validation.batch (run_id, position, document_ids)
    select _run_id, 1 + n.number / 50, array_agg(n.document_id order by n.number)
    from (
        select
            v.document_id,
            (row_number() over (order by v.document_id) - 1)::integer as number
        from corpus.version as v
        inner join corpus.document as d on v.document_id = d.document_id
        inner join corpus.scope as s on d.scope_id = s.scope_id
        where
            v.state = 'published'
            and (_family = '{}' or s.la_code = any(_family))
            and exists (
                select
                from corpus.chunk as c
                inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
                where c.version_id = v.version_id and f.status = 'pending'
            )
    ) as n
    group by 1 + n.number / 50;

    update validation.run as r
    set
        batches = b.batches,
        documents = b.documents,
        finished_at = case when b.batches = 0 then clock_timestamp() end
    from (
        select
            count(*)::integer as batches,
            coalesce(sum(cardinality(o.document_ids)), 0)::integer as documents
        from validation.batch as o
        where o.run_id = _run_id
    ) as b
    where r.run_id = _run_id;
    -- each batch that is judged sends the next, so that this is how many there are at a time
    perform queue.enqueue('validate_batch', b.batch_id)
    from validation.batch as b
    where b.run_id = _run_id and b.position <= 5;
    perform audit.write_event(
        'validation_started', 'validation run ' || _run_id,
        jsonb_build_object(
            'dry_run', start_run.dry_run, 'la', start_run.la, 'threshold', start_run.threshold
        )
    );
    perform audit.speak_for(_spoken[1], _spoken[2]);
    return _run_id;
end;
$func$;

comment on function validation.start_run is
'Ask for verdicts on every document with passages nobody has decided on, all of them or one authority''s; workers judge, five batches at a time; the number of the run.';
