-- corpus.publish_tasks
-- Publish the versions of claimed tasks and finish the tasks, in one transaction; who lost a claim publishes nothing.
--
-- One row per task: published; lost (another holder has it, or it was called off); failed (the
-- task goes back to the queue with the reason, for good when another attempt would meet the same,
-- and the others are published all the same).
-- All locks are taken first, each kind in one order, so that publishers of several documents
-- cannot deadlock.
--
-- called by  ingest/tasks/calls.py
-- writes     what corpus.publish_claims writes
-- locks      advisory: as corpus.publish_version, for all of them, sorted; then rows: documents,
--            versions, facts of chunks, each sorted; then tasks
-- raises     what may pass by itself (deadlock, lack of resources): call again

create or replace function corpus.publish_tasks(task_ids bigint[], lease_tokens uuid[])
returns table (
    task_id bigint,
    outcome text,
    version_id bigint,
    document_id bigint,
    version integer,
    superseded_documents bigint[],
    failure text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _claim record;
    _versions bigint[];
    _documents bigint[];
    _told text;
    _hint text;
begin
    select coalesce(array_agg(v.version_id), '{}'), coalesce(array_agg(v.document_id), '{}')
    into _versions, _documents
    from queue.task as t
    inner join corpus.version as v on t.subject_id = v.version_id
    where t.task_id = any(publish_tasks.task_ids) and t.kind = 'publish_version';
    if cardinality(_versions) > 1 then
        perform corpus.reserve_titles(publish_tasks.task_ids);
        perform from corpus.document as d
        where d.document_id = any(_documents)
        order by d.document_id
        for update;
        perform from corpus.version as v
        where v.version_id in (
            select u.version_id from unnest(_versions) as u (version_id)
            union all
            select r.version_id
            from unnest(_versions) as u (version_id)
            cross join lateral corpus.rivals_of(u.version_id) as r
            union all
            select h.version_id
            from unnest(_versions) as u (version_id)
            cross join lateral corpus.held_by_corrected(u.version_id) as h
        )
        order by v.version_id
        for update;
        perform from corpus.chunk_fact as f
        where f.chunk_id in (
            select c.chunk_id
            from unnest(_versions) as u (version_id)
            cross join lateral (
                select r.version_id from corpus.rivals_of(u.version_id) as r
                union all
                select h.version_id from corpus.held_by_corrected(u.version_id) as h
            ) as o
            inner join corpus.chunk as c on o.version_id = c.version_id
        )
        order by f.chunk_id
        for update;
    end if;

    -- together, which is far cheaper; when one fails, each for itself
    begin
        return query select p.* from corpus.publish_claims(
            publish_tasks.task_ids, publish_tasks.lease_tokens
        ) as p;
        return;
    exception when others then
        if sqlstate ~ '^(40|53|57|58|XX)' then
            raise;
        end if;
    end;

    for _claim in
        select u.task_id, u.lease_token, t.subject_id
        from unnest(publish_tasks.task_ids, publish_tasks.lease_tokens) as u (task_id, lease_token)
        left join queue.task as t on u.task_id = t.task_id and t.kind = 'publish_version'
        order by t.subject_id
    loop
        begin
            return query select p.* from corpus.publish_claims(
                array[_claim.task_id], array[_claim.lease_token]
            ) as p;
        exception when others then
            -- a deadlock passes, a full disk is nobody's fault: all of it again
            if sqlstate ~ '^(40|53|57|58|XX)' then
                raise;
            end if;
            get stacked diagnostics _told = message_text, _hint = pg_exception_hint;
            task_id := _claim.task_id;
            outcome := 'failed';
            version_id := _claim.subject_id;
            failure := concat_ws('. ', _told, nullif(_hint, ''));
            perform queue.fail_task(
                _claim.task_id, _claim.lease_token, failure, queue.is_lasting(sqlstate)
            );
            return next;
        end;
    end loop;
end;
$func$;

comment on function corpus.publish_tasks is
'Publish the versions of claimed tasks and finish the tasks, in one transaction; who lost a claim publishes nothing.';
