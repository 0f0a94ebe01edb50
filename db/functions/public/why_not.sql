-- public.why_not
-- Why a chunk is not in the answer of a search, or at which place it is: exactly one row with one verdict, the reason in words, and the facts.
--
-- The arguments after the chunk are those of search_kb; the verdicts stand in search.explain_absence.
-- A chunk out of scope gets the answer of one that does not exist, except from an admin.
--
-- definer because  a reader may search but not read the tables; it tells of nothing out of scope
-- called by  a person at psql, public.why_not_text
-- raises     what search_kb raises

create or replace function public.why_not(
    chunk_id bigint,
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
returns table (verdict text, reason text, place integer, facts jsonb)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        why_not.query_vec, why_not.tsquery, why_not.la, why_not.home_la, why_not.urn,
        why_not.tags, why_not.top_k, why_not.principals, why_not.as_of, why_not.statuses,
        why_not.topics, why_not.candidates, why_not.rrf_k, why_not.vector_weight,
        why_not.keyword_weight, why_not.embedding_set
    ));
begin
    return query select e.* from search.explain_absence(_found, why_not.chunk_id) as e;
end;
$func$;

comment on function public.why_not is
'Why a chunk is not in the answer of a search, or at which place it is: exactly one row with one verdict, the reason in words, and the facts.';
