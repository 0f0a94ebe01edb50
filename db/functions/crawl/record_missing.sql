-- crawl.record_missing
-- Be done with a page that is not there: gone for good (410), or missing; NULL when the task is lost.
--
-- What becomes of its document is decided at the end of the run.
--
-- called by  ingest/crawl/calls.py
-- writes     what crawl.close_visit writes

create or replace function crawl.record_missing(
    task_id bigint,
    lease_token uuid,
    visit_id bigint,
    for_good boolean,
    reason text
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _visit crawl.visit;
    _outcome text := case when record_missing.for_good then 'gone' else 'missing' end;
begin
    select f.* into _visit
    from crawl.fence(
        record_missing.task_id, record_missing.lease_token, record_missing.visit_id
    ) as f;
    if not found then
        return null;
    end if;
    perform crawl.close_visit(
        record_missing.task_id, record_missing.lease_token, _visit, _outcome,
        reason => record_missing.reason
    );
    return _outcome;
end;
$func$;

comment on function crawl.record_missing is
'Be done with a page that is not there: gone for good (410), or missing; NULL when the task is lost.';
