-- public.explain_search
-- Explain a search: the rows of search_kb's every step, in order, each with the reason a chunk won or lost in words and numbers.
--
-- Same arguments as search_kb and the same run: nothing is computed a second time. Stages: request,
-- word, attempt, scope (which plan and why), vector, keyword, fusion, weights, floor, choice, answer.
--
--     select stage, rank, kept, reason from explain_search(null, 'exclus', la => 'E10000016')
--     where chunk_id = 12;
--
-- definer because  a reader may search but not read the tables; it tells of nothing out of scope
-- called by  a person at psql, public.explain_text
-- raises     what search_kb raises

create or replace function public.explain_search(
    query_vec public.vector,
    tsquery tsquery,
    la text default null,
    home_la text default null,
    urn text default null,
    tags text[] default null,
    top_k integer default null,
    principals text[] default null,
    as_of date default null,
    statuses text[] default null,
    topics text[] default null,
    candidates integer default null,
    rrf_k double precision default null,
    vector_weight double precision default null,
    keyword_weight double precision default null,
    embedding_set text default null
)
returns table (
    stage_no integer,
    stage text,
    chunk_id bigint,
    title text,
    scope text,
    rank integer,
    value double precision,
    kept boolean,
    reason text,
    detail jsonb
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        explain_search.query_vec, explain_search.tsquery, explain_search.la,
        explain_search.home_la, explain_search.urn, explain_search.tags, explain_search.top_k,
        explain_search.principals, explain_search.as_of, explain_search.statuses,
        explain_search.topics, explain_search.candidates, explain_search.rrf_k,
        explain_search.vector_weight, explain_search.keyword_weight, explain_search.embedding_set
    ));
begin
    return query select e.* from search.explain_retrieval(_found) as e;
end;
$func$;

comment on function public.explain_search is
'Explain a search: the rows of search_kb''s every step, in order, each with the reason a chunk won or lost in words and numbers.';
