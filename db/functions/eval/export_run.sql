-- eval.export_run
-- A run with its outcomes as one value, for eval.import_run of another database.
--
-- called by  bench/calls.py
-- raises     nothing

create or replace function eval.export_run(run_id bigint)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select to_jsonb(r) || jsonb_build_object('outcomes', (
        select coalesce(jsonb_agg(to_jsonb(o)), '[]') from eval.outcome as o where o.run_id = r.run_id
    ))
    from eval.run as r
    where r.run_id = export_run.run_id;
$func$;

comment on function eval.export_run is
'A run with its outcomes as one value, for eval.import_run of another database.';
