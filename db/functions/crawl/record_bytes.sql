-- crawl.record_bytes
-- Be done with a page that is as it was, if its answer tells so without its text being read: unchanged, else read; NULL when the task is lost.
--
-- No body_hash means that the site said so itself (304), to validators that were sent only where
-- that is enough. Equal bytes under the same extractor are an equal text. An equal etag on a whole
-- answer proves nothing: sites send the same one for pages that change.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.url, and what crawl.close_visit writes

create or replace function crawl.record_bytes(
    task_id bigint,
    lease_token uuid,
    visit_id bigint,
    size bigint,
    etag text,
    last_modified text,
    body_hash bytea,
    extractor text
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
    _old crawl.url;
begin
    select f.* into _visit
    from crawl.fence(record_bytes.task_id, record_bytes.lease_token, record_bytes.visit_id) as f;
    if not found then
        return null;
    end if;
    select u.* into _old
    from crawl.url as u
    inner join crawl.job as j on u.site_id = j.site_id
    where j.job_id = _visit.job_id and u.url = _visit.url;
    if record_bytes.body_hash is not null and (
        _old.body_hash = record_bytes.body_hash
        and _old.extractor = record_bytes.extractor
        and crawl.is_held(_old, _visit.wanted)
    ) is not true then
        return 'read';
    end if;
    perform crawl.note_answer(
        _visit,
        -- a 304 may leave out what it repeats
        coalesce(record_bytes.etag, case when record_bytes.body_hash is null then _old.etag end),
        coalesce(
            record_bytes.last_modified,
            case when record_bytes.body_hash is null then _old.last_modified end
        ),
        record_bytes.body_hash,
        record_bytes.extractor
    );
    perform crawl.close_visit(
        record_bytes.task_id, record_bytes.lease_token, _visit, 'unchanged',
        size => record_bytes.size
    );
    return 'unchanged';
end;
$func$;

comment on function crawl.record_bytes is
'Be done with a page that is as it was, if its answer tells so without its text being read: unchanged, else read; NULL when the task is lost.';
