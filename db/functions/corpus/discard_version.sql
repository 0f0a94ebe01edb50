-- corpus.discard_version
-- Remove a staged version and its task; a published or superseded one is never removed.
--
-- called by  corpus.discard_abandoned, corpus.withdraw
-- writes     corpus.version, corpus.document, queue.task
-- locks      advisory: the source within its scope, as corpus.stage_document

create or replace function corpus.discard_version(version_id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _document_id bigint;
begin
    -- a text of this source that is being staged now must not lose its document
    perform pg_advisory_xact_lock(hashtextextended(d.scope_id || ' ' || d.source, 2))
    from corpus.version as v
    inner join corpus.document as d on v.document_id = d.document_id
    where v.version_id = discard_version.version_id and v.state = 'staged';
    delete from corpus.version as v
    where v.version_id = discard_version.version_id and v.state = 'staged'
    returning v.document_id into _document_id;
    if not found then
        return false;
    end if;
    delete from queue.task as t
    where t.kind = 'publish_version' and t.subject_id = discard_version.version_id;
    delete from corpus.document as d
    where
        d.document_id = _document_id
        and not exists (select from corpus.version as v where v.document_id = d.document_id);
    return true;
end;
$func$;

comment on function corpus.discard_version is
'Remove a staged version and its task; a published or superseded one is never removed.';
