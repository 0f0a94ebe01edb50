-- search.keyword_pool_as_of
-- The chunks in force on a day that hold any of the words; superseded versions are not indexed, so their words are found again from the text.
--
-- called by  search.keyword_leg
-- raises     ST002 unusable setting

create or replace function search.keyword_pool_as_of(
    any_word tsquery,
    as_of date,
    scope_ids bigint[],
    statuses text[],
    tags text[],
    within bigint[] default null
)
returns setof search.text_index
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        c.chunk_id,
        c.scope_id,
        i.lexemes,
        coalesce(i.token_count, terms.count_tokens(i.lexemes))
    from search.chunks_as_of(
        keyword_pool_as_of.as_of, keyword_pool_as_of.scope_ids, keyword_pool_as_of.statuses,
        keyword_pool_as_of.tags
    ) as a (chunk_id)
    inner join corpus.chunk as c on a.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    left join search.text_index as t on c.chunk_id = t.chunk_id
    cross join lateral (
        select
            coalesce(t.lexemes, terms.to_index(embedding.text_of(v.title, c.content))) as lexemes,
            t.token_count
        -- keeps the words of a text from being found anew for every use
        offset 0
    ) as i
    where
        i.lexemes @@ keyword_pool_as_of.any_word
        and (keyword_pool_as_of.within is null or c.chunk_id = any(keyword_pool_as_of.within));
$func$;

comment on function search.keyword_pool_as_of is
'The chunks in force on a day that hold any of the words; superseded versions are not indexed, so their words are found again from the text.';
