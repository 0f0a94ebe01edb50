-- crawl.record_probe
-- Keep what a host says of an address that does not exist; read, NULL when the task is lost.
--
-- A NULL text means that it says so by its status, as it should. A host that did not answer
-- keeps what was known of it.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.host, and what crawl.close_visit writes

create or replace function crawl.record_probe(
    task_id bigint,
    lease_token uuid,
    visit_id bigint,
    was_answered boolean,
    missing_text text,
    size bigint
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    -- more than any error page says
    _longest constant integer := 20000;
    _visit crawl.visit;
begin
    select f.* into _visit
    from crawl.fence(
        record_probe.task_id, record_probe.lease_token, record_probe.visit_id
    ) as f;
    if not found then
        return null;
    end if;
    update crawl.host as h
    set missing_text = left(record_probe.missing_text, _longest)
    where h.host = _visit.host and record_probe.was_answered;
    perform crawl.close_visit(
        record_probe.task_id, record_probe.lease_token, _visit, 'read',
        size => record_probe.size
    );
    return 'read';
end;
$func$;

comment on function crawl.record_probe is
'Keep what a host says of an address that does not exist; read, NULL when the task is lost.';
