-- queue.is_lasting
-- Whether an error meets the same work again however often it is tried: data that does not fit, a broken rule of a table.
--
-- Equal keys and overlaps are no such errors: what another transaction wrote at the same time
-- is found at the next attempt.
--
-- called by  ingest/queue/calls.py, corpus.publish_tasks

create or replace function queue.is_lasting(sqlstate text)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- data exceptions; not-null, foreign key and check violations
    select coalesce(
        is_lasting.sqlstate like '22___' or is_lasting.sqlstate in ('23502', '23503', '23514'),
        false
    );
$func$;

comment on function queue.is_lasting is
'Whether an error meets the same work again however often it is tried: data that does not fit, a broken rule of a table.';
