-- crawl.record_failed
-- A page or sitemap could not be read: try again later in this run when that may help, else be done with it; retrying, unchanged or failed, NULL when the task is lost.
--
-- Three tries, half a minute and a minute apart, or as long as the site asks for, and then the
-- whole host is left alone for as long. A page whose text was read before and cannot be now is
-- unchanged all the same when the site sends the ETag, or without one the Last-Modified, of then.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.visit, crawl.host, queue.task, and what crawl.close_visit writes

create or replace function crawl.record_failed(
    task_id bigint,
    lease_token uuid,
    visit_id bigint,
    reason text,
    may_pass boolean default false,
    wait interval default null,
    etag text default null,
    last_modified text default null,
    size bigint default 0
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _most_attempts constant integer := 3;
    _visit crawl.visit;
    _outcome text := 'failed';
begin
    select f.* into _visit
    from crawl.fence(record_failed.task_id, record_failed.lease_token, record_failed.visit_id) as f;
    if not found then
        return null;
    end if;
    if record_failed.may_pass and _visit.attempts < _most_attempts then
        update crawl.visit as v
        set
            reason = left(record_failed.reason, 500),
            ready_at = clock_timestamp() + greatest(
                interval '30 seconds' * power(2, v.attempts - 1), record_failed.wait
            )
        where v.visit_id = _visit.visit_id;
        perform crawl.free_host(
            record_failed.task_id, record_failed.lease_token,
            wait => coalesce(record_failed.wait, interval '0')
        );
        update crawl.job as j set current_url = null where j.job_id = _visit.job_id;
        perform queue.enqueue('crawl_job', _visit.job_id);
        return 'retrying';
    end if;
    if exists (
        select
        from crawl.url as u
        inner join crawl.job as j on u.site_id = j.site_id
        where
            j.job_id = _visit.job_id and u.url = _visit.url
            and coalesce(
                case when not u.etag_lies then crawl.same_etag(u.etag, record_failed.etag) end,
                u.last_modified = record_failed.last_modified and u.last_modified_at is not null
            )
            and u.document_id is not null and not u.is_archived
    ) then
        _outcome := 'unchanged';
    end if;
    perform crawl.close_visit(
        record_failed.task_id, record_failed.lease_token, _visit, _outcome,
        reason => record_failed.reason, size => record_failed.size
    );
    return _outcome;
end;
$func$;

comment on function crawl.record_failed is
'A page or sitemap could not be read: try again later in this run when that may help, else be done with it; retrying, unchanged or failed, NULL when the task is lost.';
