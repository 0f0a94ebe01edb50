-- search.find
-- The answer of search_kb with the counts from before the floor, and with its flags also where the answer is empty.
--
-- definer because  the app may search but not read the tables: scope is applied in here
-- called by  app/calls.py
-- raises     what search_kb raises

create or replace function search.find(
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
returns search.finding
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        find.query_vec, find.tsquery, find.la, find.home_la, find.urn, find.tags, find.top_k,
        find.principals, find.as_of, find.statuses, find.topics, find.candidates, find.rrf_k,
        find.vector_weight, find.keyword_weight, find.embedding_set
    ));
begin
    return row(
        array(select r from search.assemble(_found) as r),
        search.count_candidates(
            _found.hits, cardinality(_found.attempts), _found.topic_fallback_used,
            _found.no_la_broad_fallback_used
        ),
        (select string_agg(distinct p.plan, ', ' order by p.plan) from unnest(_found.plans) as p),
        _found.timings
    )::search.finding;
end;
$func$;

comment on function search.find is
'The answer of search_kb with the counts from before the floor, and with its flags also where the answer is empty.';
