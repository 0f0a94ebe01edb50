-- public.read_document
-- A document as it stands now: its facts and its passages in their order; no row for one the caller may not see.
--
-- The version is the published one; passages that were rejected or flagged are left out, and a
-- document without a passage left is not shown. passages is a list of objects with chunk_id,
-- chunk_index, content, page_from, page_to and heading_path, those after after_index, at most
-- page_size of them; passage_count counts all. The arguments about place and principals are those
-- of resolve_citation. Writes nothing: runs in a read-only transaction and on a standby.
--
-- definer because  a reader may not read the tables: scope and states are applied in here
-- called by  app/library/calls.py, every client that shows a whole document
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split,
--            SE001 page size out of range, ST002 unusable setting

create or replace function public.read_document(
    document_id bigint,
    la text default null,
    home_la text default null,
    urn text default null,
    principals text[] default null,
    everywhere boolean default false,
    after_index integer default -1,
    page_size integer default 100
)
returns table (
    version integer,
    title text,
    source text,
    file_type text,
    document_type text,
    authority text,
    scope text,
    la_code text,
    school_urn text,
    tags text[],
    effective_date date,
    in_force_from date,
    published_at timestamptz,
    passage_count bigint,
    passages jsonb
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    -- before the document is looked at: a wrong place is refused whether there is one or not
    _scopes search.visible_scope[] := array(
        select s
        from search.visible_scopes(
            read_document.la, read_document.home_la, read_document.urn, read_document.principals,
            coalesce(read_document.everywhere, false) and coalesce(
                nullif(btrim(read_document.la), ''),
                nullif(btrim(read_document.home_la), ''),
                nullif(btrim(read_document.urn), '')
            ) is null
        ) as s
    );
    _statuses text[] := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
begin
    if coalesce(read_document.page_size, 0) not between 1 and 500 then
        raise exception 'a page of % passages is out of range',
            coalesce(read_document.page_size::text, 'no')
            using errcode = 'SE001', hint = 'Ask for 1 to 500.';
    end if;
    return query
    with shown_passage as (
        select c.chunk_id, c.chunk_index, c.content, c.page_from, c.page_to, c.heading_path
        from corpus.version as v
        inner join corpus.chunk as c on v.version_id = c.version_id
        inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
        where
            v.document_id = read_document.document_id
            and v.state = 'published'
            and f.status = any(_statuses)
    ),

    page_passage as (
        select p.*
        from shown_passage as p
        where p.chunk_index > coalesce(read_document.after_index, -1)
        order by p.chunk_index
        limit read_document.page_size
    )

    select
        v.version,
        v.title,
        d.source,
        v.file_type,
        v.document_type,
        v.authority,
        s.label,
        o.la_code,
        o.school_urn,
        v.tags,
        v.effective_date,
        v.valid_from,
        v.published_at,
        n.passages,
        coalesce(
            (select jsonb_agg(to_jsonb(p) order by p.chunk_index) from page_passage as p), '[]'
        )
    from corpus.document as d
    inner join corpus.version as v on d.document_id = v.document_id and v.state = 'published'
    inner join unnest(_scopes) as s on d.scope_id = s.scope_id
    inner join corpus.scope as o on d.scope_id = o.scope_id
    cross join (select count(*) as passages from shown_passage) as n
    where d.document_id = read_document.document_id and n.passages > 0;
end;
$func$;

comment on function public.read_document is
'A document as it stands now: its facts and its passages in their order; no row for one the caller may not see.';
