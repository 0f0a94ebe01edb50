-- search.chunks_as_of
-- The chunks in these scopes of the versions in force on a day, in these states now or when they were superseded.
--
-- 'infinity' is the last day that is known of, '-infinity' a day before the first.
--
-- called by  search.exact_hits, search.explain_absence, search.keyword_pool_as_of
-- raises     nothing

create or replace function search.chunks_as_of(
    as_of date,
    scope_ids bigint[],
    statuses text[],
    tags text[] default null
)
returns setof bigint
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- the versions first: on most days before today few of them are in force
    with version_in_force as materialized (
        select v.version_id
        from corpus.version as v
        inner join corpus.document as d on v.document_id = d.document_id
        where
            v.state in ('published', 'superseded')
            and v.valid_from <= chunks_as_of.as_of
            and (v.valid_to is null or v.valid_to > chunks_as_of.as_of)
            and d.scope_id = any(chunks_as_of.scope_ids)
    )

    select c.chunk_id
    from version_in_force as v
    inner join corpus.chunk as c on v.version_id = c.version_id
    inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    where
        f.scope_id = any(chunks_as_of.scope_ids)
        and coalesce(f.status_before, f.status) = any(chunks_as_of.statuses)
        and (chunks_as_of.tags is null or f.tags && chunks_as_of.tags);
$func$;

comment on function search.chunks_as_of is
'The chunks in these scopes of the versions in force on a day, in these states now or when they were superseded.';
