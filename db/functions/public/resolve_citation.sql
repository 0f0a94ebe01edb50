-- public.resolve_citation
-- The passage a citation names, word for word as it was cited, with its document, version and the days it was in force; no row for one the caller may not see.
--
-- A version that was superseded since still answers, and says what took over. The arguments after
-- the chunk are those of the search that cited it; everywhere is its no_la_broad_fallback_used, and
-- counts only where no place is given, as there. Passages that were rejected or flagged since are
-- not shown. Writes nothing: runs in a read-only transaction and on a standby.
--
-- definer because  a reader may not read the tables: scope and states are applied in here
-- called by  every client that shows a citation
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split,
--            ST002 unusable setting

create or replace function public.resolve_citation(
    chunk_id bigint,
    la text default null,
    home_la text default null,
    urn text default null,
    principals text[] default null,
    everywhere boolean default false
)
returns table (
    document_id bigint,
    version integer,
    title text,
    source text,
    content text,
    chunk_index integer,
    document_type text,
    authority text,
    scope text,
    effective_date date,
    in_force_from date,
    in_force_to date,
    is_current boolean,
    superseded_by_document bigint,
    superseded_by_version integer
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    -- before the chunk is looked at: a wrong place is refused whether there is one or not
    _scopes search.visible_scope[] := array(
        select s
        from search.visible_scopes(
            resolve_citation.la, resolve_citation.home_la, resolve_citation.urn,
            resolve_citation.principals,
            coalesce(resolve_citation.everywhere, false) and coalesce(
                nullif(btrim(resolve_citation.la), ''),
                nullif(btrim(resolve_citation.home_la), ''),
                nullif(btrim(resolve_citation.urn), '')
            ) is null
        ) as s
    );
begin
    return query
    select
        c.document_id,
        v.version,
        v.title,
        d.source,
        c.content,
        c.chunk_index,
        v.document_type,
        v.authority,
        s.label,
        v.effective_date,
        v.valid_from,
        v.valid_to,
        v.state = 'published',
        n.document_id,
        n.version
    from corpus.chunk as c
    inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    inner join corpus.document as d on c.document_id = d.document_id
    inner join unnest(_scopes) as s on c.scope_id = s.scope_id
    left join corpus.version as n on v.superseded_by = n.version_id
    where
        c.chunk_id = resolve_citation.chunk_id
        and v.state in ('published', 'superseded')
        and coalesce(f.status_before, f.status)
        = any(regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*'));
end;
$func$;

comment on function public.resolve_citation is
'The passage a citation names, word for word as it was cited, with its document, version and the days it was in force; no row for one the caller may not see.';
