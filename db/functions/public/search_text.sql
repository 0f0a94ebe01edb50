-- public.search_text
-- Search from the words of a question: topics, synonyms, query vector from the cache or the endpoint, then search_kb.
--
-- Where no vector can be had (no endpoint, no plpython3u) the search is keyword only and a
-- notice says so. viewer says whose cache is used, within those of the login. Without la the
-- question is for the school's authority, without a school for the postcode's; beside either the
-- postcode is the child's home.
--
-- definer because  a reader may search but not read the tables or call the endpoint itself
-- called by  a person at psql, clients without an embedding model
-- writes     embedding.query_cache, unless the transaction is read-only
-- raises     SE003 empty question, PL005 a postcode that tells no authority, and what search_kb
--            raises

create or replace function public.search_text(
    question text,
    la text default null,
    home_la text default null,
    urn text default null,
    tags text[] default null,
    top_k integer default null,
    principals text[] default null,
    as_of date default null,
    viewer text default null,
    postcode text default null
)
returns setof public.search_result
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _worded record;
    _scope record;
begin
    select w.* into _worded
    from search.word_question(search_text.question, search_text.viewer) as w;
    select s.* into _scope
    from search.scope_of(
        search_text.la, search_text.home_la, search_text.urn, search_text.postcode
    ) as s;
    return query
    select r.*
    from public.search_kb(
        query_vec => _worded.query_vec,
        tsquery => _worded.tsquery,
        la => _scope.la_code,
        home_la => _scope.home_la_code,
        urn => _scope.school_urn,
        tags => search_text.tags,
        top_k => search_text.top_k,
        principals => search_text.principals,
        as_of => search_text.as_of,
        topics => _worded.topics,
        embedding_set => _worded.embedding_set
    ) as r;
end;
$func$;

comment on function public.search_text is
'Search from the words of a question: topics, synonyms, query vector from the cache or the endpoint, then search_kb.';
