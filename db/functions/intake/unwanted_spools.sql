-- intake.unwanted_spools
-- Of these names of files in the spool, those that no upload needs any more: it is read, gone, or never was.
--
-- called by  ingest/uploads/calls.py (worker upkeep)
-- raises     nothing

create or replace function intake.unwanted_spools(names text[])
returns setof text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select n.name
    from unnest(unwanted_spools.names) as n (name)
    where not exists (
        select from intake.upload as u where u.spool_name = n.name and u.finished_at is null
    );
$func$;

comment on function intake.unwanted_spools is
'Of these names of files in the spool, those that no upload needs any more: it is read, gone, or never was.';
