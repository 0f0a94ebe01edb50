-- validation.run_status
-- How far a run is, by default the last: its batches, its verdicts so far, and whether batches wait for a person.
--
-- stuck are batches whose task was given up or called off: retry it (queue.retry_task).
--
-- called by  app/admin/validation/calls.py, ingest/validation/calls.py
-- raises     VA002 no such run

create or replace function validation.run_status(run bigint default null)
returns table (
    run_id bigint,
    dry_run boolean,
    la_code text,
    threshold double precision,
    requested_by text,
    created_at timestamptz,
    finished_at timestamptz,
    done boolean,
    batches integer,
    batches_judged integer,
    batches_stuck integer,
    documents integer,
    judged integer,
    approve integer,
    flag integer,
    leave integer,
    changed integer
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    return query
    select
        r.run_id, r.dry_run, r.la_code, r.threshold, r.requested_by, r.created_at, r.finished_at,
        r.finished_at is not null, r.batches, b.judged, b.stuck, r.documents, v.judged, v.approve,
        v.flag, v.leave, v.changed
    from validation.run as r
    cross join lateral (
        select
            (count(*) filter (where o.judged_at is not null))::integer as judged,
            (count(*) filter (where o.judged_at is null and t.dead))::integer as stuck
        from validation.batch as o
        left join queue.task as t on t.kind = 'validate_batch' and t.subject_id = o.batch_id
        where o.run_id = r.run_id
    ) as b
    cross join lateral (
        select
            count(*)::integer as judged,
            (count(*) filter (where o.verdict = 'approve'))::integer as approve,
            (count(*) filter (where o.verdict = 'flag'))::integer as flag,
            (count(*) filter (where o.verdict = 'leave'))::integer as leave,
            coalesce(sum(o.changed), 0)::integer as changed
        from validation.verdict as o
        where o.run_id = r.run_id
    ) as v
    where
        r.run_id = coalesce(
            run_status.run, (select max(l.run_id) from validation.run as l)
        );
    if not found then
        raise exception 'there is no validation run %', coalesce(run_status.run::text, 'yet')
            using errcode = 'VA002', hint = 'See: select * from validation.run;';
    end if;
end;
$func$;

comment on function validation.run_status is
'How far a run is, by default the last: its batches, its verdicts so far, and whether batches wait for a person.';
