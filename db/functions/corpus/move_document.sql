-- corpus.move_document
-- Give a document the address it is found at now; false when that is another document's already.
--
-- called by  crawl.retire_page
-- writes     corpus.document, audit.event

create or replace function corpus.move_document(document_id bigint, source text)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _old text;
begin
    select d.source into _old
    from corpus.document as d
    where d.document_id = move_document.document_id
    for update;
    update corpus.document as d
    set
        source = move_document.source,
        source_family = coalesce(corpus.source_host(move_document.source), 'upload')
    where
        d.document_id = move_document.document_id
        and not exists (
            select from corpus.document as o
            where o.scope_id = d.scope_id and o.source = move_document.source
        );
    if not found then
        return false;
    end if;
    perform audit.write_event(
        'moved', 'document ' || move_document.document_id,
        jsonb_build_object('from', _old, 'to', move_document.source)
    );
    return true;
end;
$func$;

comment on function corpus.move_document is
'Give a document the address it is found at now; false when that is another document''s already.';
