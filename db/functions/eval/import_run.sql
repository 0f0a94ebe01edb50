-- eval.import_run
-- Keep a run that was made in another database; returns its number here.
--
-- called by  bench/calls.py
-- writes     eval.run, eval.outcome
-- raises     nothing

create or replace function eval.import_run(exported jsonb)
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with run as (
        insert into eval.run (at, set_name, set_digest, mode, settings)
        select r.at, r.set_name, r.set_digest, r.mode, r.settings
        from jsonb_populate_record(null::eval.run, import_run.exported) as r
        returning run_id
    ),

    outcome as (
        insert into eval.outcome (
            run_id, question_key, kind, split, documents, milliseconds, ndcg_10, recall_8,
            recall_50, reciprocal_rank, nothing_was_right, forbidden_shown
        )
        select
            run.run_id, o.question_key, o.kind, o.split, o.documents, o.milliseconds, o.ndcg_10,
            o.recall_8, o.recall_50, o.reciprocal_rank, o.nothing_was_right, o.forbidden_shown
        from run
        cross join jsonb_populate_recordset(
            null::eval.outcome, import_run.exported -> 'outcomes'
        ) as o
    )

    select run.run_id from run;
$func$;

comment on function eval.import_run is
'Keep a run that was made in another database; returns its number here.';
