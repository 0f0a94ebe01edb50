-- corpus.last_superseded
-- The superseded version of a document that undoing is about: the one with this number, else the one that began last.
--
-- In psql: select * from corpus.undo_supersession(corpus.last_superseded(12));
--
-- called by  curators, ingest/documents/calls.py
-- raises     KB022 no such document, KB023 nothing to undo

create or replace function corpus.last_superseded(document_id bigint, version integer default null)
returns bigint
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _version_id bigint;
begin
    if not exists (
        select from corpus.document as d where d.document_id = last_superseded.document_id
    ) then
        raise exception 'there is no document %',
            coalesce(last_superseded.document_id::text, 'without an id')
            using errcode = 'KB022', hint = 'See: select * from corpus.document_overview;';
    end if;
    select v.version_id into _version_id
    from corpus.version as v
    where
        v.document_id = last_superseded.document_id
        and v.state = 'superseded'
        and (last_superseded.version is null or v.version = last_superseded.version)
    order by v.valid_from desc, v.version desc
    limit 1;
    if not found then
        raise exception 'nothing to undo: no % of document % is superseded',
            concat_ws(' ', 'version', last_superseded.version), last_superseded.document_id
            using errcode = 'KB023',
                  hint = 'What it replaced is undone from there: name the replaced document.';
    end if;
    return _version_id;
end;
$func$;

comment on function corpus.last_superseded is
'The superseded version of a document that undoing is about: the one with this number, else the one that began last.';
