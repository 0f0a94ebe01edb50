-- corpus.move_document
-- Give a document the address it is found at now; false when that is another document's already.
--
-- A document that holds the address and is found no more takes the old one in exchange.
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
    _holder bigint;
begin
    select d.source into _old
    from corpus.document as d
    where d.document_id = move_document.document_id
    for update;
    select o.document_id into _holder
    from corpus.document as d
    inner join corpus.document as o on d.scope_id = o.scope_id
    where
        d.document_id = move_document.document_id
        and o.document_id <> d.document_id
        and o.source = move_document.source
        and not exists (
            select from corpus.version as v
            where v.document_id = o.document_id and v.state in ('staged', 'published')
        )
    for update of o;
    -- two documents of a scope cannot have one address, not even for a moment
    update corpus.document as d
    set source = 'document ' || _holder
    where d.document_id = _holder;
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
    if _holder is not null then
        update corpus.document as d
        set source = _old, source_family = coalesce(corpus.source_host(_old), 'upload')
        where d.document_id = _holder;
        perform audit.write_event(
            'moved', 'document ' || _holder,
            jsonb_build_object('from', move_document.source, 'to', _old)
        );
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
