-- embedding.fill_is_over
-- Whether no chunk waits for its vector in a set, but for those that were given up.
--
-- called by  ingest/embedding/calls.py
-- raises     VE005 unknown set

create or replace function embedding.fill_is_over(set_name text)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select not exists (
        select
        from embedding.named_set(fill_is_over.set_name) as s
        inner join embedding.wanted_vector as w on s.set_id = w.set_id
        where not w.failed
    );
$func$;

comment on function embedding.fill_is_over is
'Whether no chunk waits for its vector in a set, but for those that were given up.';
