-- eval.previous_run
-- The last run before this one of the same questions in the same way, to compare with; NULL when there is none.
--
-- called by  bench/calls.py
-- raises     nothing

create or replace function eval.previous_run(run_id bigint)
returns bigint
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select max(e.run_id)
    from eval.run as r
    inner join eval.run as e
        on r.set_name = e.set_name
        and r.set_digest = e.set_digest
        and r.mode = e.mode
        and r.settings = e.settings
        and r.run_id > e.run_id
    where r.run_id = previous_run.run_id;
$func$;

comment on function eval.previous_run is
'The last run before this one of the same questions in the same way, to compare with; NULL when there is none.';
