-- corpus.list_documents
-- The documents a curator looks for, newest first, a page at a time; the next page begins before the last one's id.
--
-- status is pending, approved, rejected or flagged (a passage of the published version is so),
-- superseded or staged. tags ask for any of them, title for a part of the title in any spelling.
--
-- called by  curators, ingest/documents/calls.py
-- raises     SE001 page size out of range, SE002 unknown state, PL001 unknown authority,
--            PL003 the authority was split

create or replace function corpus.list_documents(
    status text default null,
    la text default null,
    tags text[] default null,
    min_quality integer default null,
    title text default null,
    before bigint default null,
    page_size integer default 20
)
returns setof corpus.document_overview
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _la text[] := case
        when btrim(list_documents.la) <> '' then place.authority_family(btrim(list_documents.la))
    end;
    _title text := nullif(terms.fold_text(list_documents.title), '');
begin
    if coalesce(list_documents.page_size, 0) not between 1 and 500 then
        raise exception 'a page of % documents is out of range', list_documents.page_size
            using errcode = 'SE001', hint = 'Ask for 1 to 500.';
    end if;
    if list_documents.status not in (
        'pending', 'approved', 'rejected', 'flagged', 'superseded', 'staged'
    ) then
        raise exception 'a document is never "%"', left(list_documents.status, 40)
            using errcode = 'SE002',
                  hint = 'Ask for pending, approved, rejected, flagged, superseded or staged.';
    end if;
    return query
    select o.*
    from corpus.document_overview as o
    where
        (list_documents.before is null or o.document_id < list_documents.before)
        and (_la is null or o.la_code = any(_la))
        and (_title is null or strpos(terms.fold_text(o.title), _title) > 0)
        and case list_documents.status
            when 'pending' then o.state = 'published' and o.pending > 0
            when 'approved' then o.state = 'published' and o.approved > 0
            when 'rejected' then o.state = 'published' and o.rejected > 0
            when 'flagged' then o.state = 'published' and o.flagged > 0
            else list_documents.status is null or o.state = list_documents.status
        end
        and (list_documents.tags is null or o.tags && list_documents.tags)
        and (list_documents.min_quality is null or o.quality_score >= list_documents.min_quality)
    order by o.document_id desc
    limit list_documents.page_size;
end;
$func$;

comment on function corpus.list_documents is
'The documents a curator looks for, newest first, a page at a time; the next page begins before the last one''s id.';
