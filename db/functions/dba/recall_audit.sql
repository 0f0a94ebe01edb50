-- dba.recall_audit
-- Measure recall by bands of selectivity and keep the result; see dba.recall for this and earlier ones.
--
-- called by  admins, ingest/upkeep/calls.py (upkeep)
-- writes     dba.recall_run, dba.recall_result
-- raises     UP002 sample or k out of range, VE004 no embedding set is active, ST002 unusable
--            setting

create or replace function dba.recall_audit(sample integer default 50, k integer default 20)
returns setof dba.recall
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _started timestamptz := clock_timestamp();
    _run bigint;
begin
    with measured as materialized (
        select m.* from dba.measure_recall(recall_audit.sample, recall_audit.k) as m
    ),

    kept_run as (
        insert into dba.recall_run (set_name, chunks, k, questions, real_questions, seconds)
        select
            (embedding.active_set()).name,
            coalesce((select z.chunks from search.scope_size as z where z.scope_id = 0), 0),
            recall_audit.k,
            recall_audit.sample,
            max(m.real_questions),
            extract(epoch from clock_timestamp() - _started)
        from measured as m
        returning run_id
    ),

    kept_band as (
        insert into dba.recall_result (
            run_id, band, selectivity, queries, mean_recall, worst_recall, mean_ms, exact_ms, plans
        )
        select
            r.run_id, m.band, m.selectivity, m.queries, m.mean_recall, m.worst_recall, m.mean_ms,
            m.exact_ms, m.plans
        from measured as m
        cross join kept_run as r
    )

    select r.run_id into _run from kept_run as r;
    return query select a.* from dba.recall as a where a.run_id = _run;
end;
$func$;

comment on function dba.recall_audit is
'Measure recall by bands of selectivity and keep the result; see dba.recall for this and earlier ones.';
