-- corpus.reserve_titles
-- Take the locks of a corpus.publish_tasks that follows in this transaction: who reserves later publishes later where titles meet.
--
-- Between two documents of one title and day the order of publishing decides. Batches that are
-- published beside each other keep the order in which they have reserved.
--
-- called by  ingest/tasks/calls.py, corpus.publish_tasks
-- locks      advisory: as corpus.publish_version, for all of them, sorted

create or replace function corpus.reserve_titles(task_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
    perform corpus.lock_titles((
        select array_agg(v.document_id) || array_agg(h.document_id)
        from queue.task as t
        inner join corpus.version as v on t.subject_id = v.version_id
        left join lateral corpus.held_by_corrected(v.version_id) as h on true
        where t.task_id = any(reserve_titles.task_ids) and t.kind = 'publish_version'
    ));
end;
$func$;

comment on function corpus.reserve_titles is
'Take the locks of a corpus.publish_tasks that follows in this transaction: who reserves later publishes later where titles meet.';
