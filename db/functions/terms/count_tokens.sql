-- terms.count_tokens
-- Length of a text for BM25: its tokens, stop words left out.
--
-- called by  corpus.index_versions, search.keyword_pool_as_of
-- raises     nothing

create or replace function terms.count_tokens(lexemes tsvector)
returns integer
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(sum(coalesce(cardinality(u.positions), 1)), 0)::integer
    from unnest(count_tokens.lexemes) as u;
$func$;

comment on function terms.count_tokens is
'Length of a text for BM25: its tokens, stop words left out.';
