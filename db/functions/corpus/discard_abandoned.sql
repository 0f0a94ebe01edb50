-- corpus.discard_abandoned
-- Remove staged versions that nobody will finish: given up, or without a task for a day; returns how many.
--
-- called by  ingest/upkeep/calls.py (worker upkeep)
-- writes     corpus.version, corpus.document, queue.task

create or replace function corpus.discard_abandoned(older_than interval default '1 day')
returns integer
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(sum(corpus.discard_version(v.version_id)::integer), 0)::integer
    from corpus.version as v
    left join queue.task as t on t.kind = 'publish_version' and t.subject_id = v.version_id
    where
        v.state = 'staged'
        and v.staged_at < now() - discard_abandoned.older_than
        and (t.task_id is null or t.dead);
$func$;

comment on function corpus.discard_abandoned is
'Remove staged versions that nobody will finish: given up, or without a task for a day; returns how many.';
