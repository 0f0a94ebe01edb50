-- public.search_kb
-- Retrieve: vector leg and BM25 leg within what the caller may see, fused, weighed, cut at the floor, assembled; best first, no row when nothing is relevant.
--
-- query_vec NULL or all zero is keyword only; tsquery NULL or empty is vector only. la, home_la
-- and urn say whom the question is for; without la only national text is searched, and all
-- areas when that has nothing. tags narrow, and are dropped when nothing is left. topics only
-- raise. principals are who the caller is, as the application established it. embedding_set names
-- the set query_vec was made for, so that a switch meanwhile does no harm. Arguments left out are
-- the settings kb.* (select * from config.settings), then the embedding set's own.
-- explain_search, with the same arguments, tells why each candidate won or lost.
-- Writes nothing: runs in a read-only transaction and on a standby.
--
-- definer because  a reader may search but not read the tables: scope is applied in here
-- called by  every client
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split,
--            VE002 wrong width, VE004 no set is active, VE005 unknown set,
--            VE010 the set is not searched, SE001, SE002, ST002 unusable setting

create or replace function public.search_kb(
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
returns setof public.search_result
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        search_kb.query_vec, search_kb.tsquery, search_kb.la, search_kb.home_la, search_kb.urn,
        search_kb.tags, search_kb.top_k, search_kb.principals, search_kb.as_of,
        search_kb.statuses, search_kb.topics, search_kb.candidates, search_kb.rrf_k,
        search_kb.vector_weight, search_kb.keyword_weight, search_kb.embedding_set
    ));
begin
    return query select r.* from search.assemble(_found) as r;
end;
$func$;

comment on function public.search_kb is
'Retrieve: vector leg and BM25 leg within what the caller may see, fused, weighed, cut at the floor, assembled; best first, no row when nothing is relevant.';
