-- corpus.list_passages
-- The passages of a document's published version, or of any version named by its number, in their order, a page at a time.
--
-- called by  curators, ingest/documents/calls.py
-- raises     KB022 no such document, SE001 page size out of range

create or replace function corpus.list_passages(
    document_id bigint,
    version integer default null,
    after_index integer default -1,
    page_size integer default 20
)
returns table (
    chunk_id bigint,
    chunk_index integer,
    status text,
    quality_score smallint,
    tags text[],
    reviewed_by text,
    reviewed_at timestamptz,
    content text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _version_id bigint;
begin
    if coalesce(list_passages.page_size, 0) not between 1 and 500 then
        raise exception 'a page of % passages is out of range', list_passages.page_size
            using errcode = 'SE001', hint = 'Ask for 1 to 500.';
    end if;
    select v.version_id into _version_id
    from corpus.version as v
    where
        v.document_id = list_passages.document_id
        and (list_passages.version is null or v.version = list_passages.version)
    order by v.state = 'published' desc, v.version desc
    limit 1;
    if not found then
        raise exception 'there is no document %',
            concat_ws(' with a version ', list_passages.document_id, list_passages.version)
            using errcode = 'KB022', hint = 'See: select * from corpus.document_overview;';
    end if;
    return query
    select
        c.chunk_id, c.chunk_index, f.status, f.quality_score, f.tags, f.reviewed_by,
        f.reviewed_at, c.content
    from corpus.chunk as c
    left join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    where c.version_id = _version_id and c.chunk_index > coalesce(list_passages.after_index, -1)
    order by c.chunk_index
    limit list_passages.page_size;
end;
$func$;

comment on function corpus.list_passages is
'The passages of a document''s published version, or of any version named by its number, in their order, a page at a time.';
