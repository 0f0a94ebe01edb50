-- search.chunks_as_of
-- The chunks in these scopes of the versions in force on a day, superseded since or not; never rejected or flagged ones.
--
-- called by  search.exact_hits, search.keyword_leg
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
    select c.chunk_id
    from corpus.version as v
    inner join corpus.chunk as c on v.version_id = c.version_id
    inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    where
        v.state in ('published', 'superseded')
        and v.valid_from <= chunks_as_of.as_of
        and (v.valid_to is null or v.valid_to > chunks_as_of.as_of)
        -- one that came late, between two others, ends the earlier of them
        and not exists (
            select
            from corpus.version as n
            where
                n.document_id = v.document_id
                and n.state in ('published', 'superseded')
                and n.valid_from <= chunks_as_of.as_of
                and (n.valid_from, n.version) > (v.valid_from, v.version)
        )
        and f.scope_id = any(chunks_as_of.scope_ids)
        and (f.status = any(chunks_as_of.statuses) or f.status = 'superseded')
        and (chunks_as_of.tags is null or f.tags && chunks_as_of.tags);
$func$;

comment on function search.chunks_as_of is
'The chunks in these scopes of the versions in force on a day, superseded since or not; never rejected or flagged ones.';
