-- search.resolve_request
-- What a search was asked, checked and with nothing left out: arguments, then settings, then the embedding set's own.
--
-- called by  public.search_kb, public.explain_search, public.why_not, search.find, eval.fill_pool
-- raises     VE002 wrong width, VE004 no set is active, VE005 unknown set, VE010 the set is not
--            searched, SE001 argument out of range, SE002 a state that may not be retrieved,
--            ST002 unusable setting

create or replace function search.resolve_request(
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
returns search.request
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.searched_set(resolve_request.embedding_set);
    _request search.request;
begin
    -- in the order of the type
    select
        case
            when public.vector_norm(resolve_request.query_vec) > 0
                then embedding.check_vector(resolve_request.query_vec, _set)
        end,
        resolve_request.tsquery,
        _set.set_id,
        nullif(btrim(resolve_request.la), ''),
        nullif(btrim(resolve_request.home_la), ''),
        nullif(btrim(resolve_request.urn), ''),
        resolve_request.principals,
        nullif(resolve_request.tags, '{}'),
        resolve_request.topics,
        coalesce(
            resolve_request.statuses,
            regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*')
        ),
        resolve_request.as_of,
        coalesce(resolve_request.top_k, config.value('kb.top_k')::integer),
        coalesce(resolve_request.candidates, config.value('kb.candidates')::integer),
        config.value('kb.max_chunks_per_document')::integer,
        coalesce(resolve_request.rrf_k, config.value('kb.rrf_k')::double precision),
        coalesce(
            resolve_request.vector_weight,
            config.value('kb.vector_weight')::double precision, _set.vector_weight
        ),
        coalesce(
            resolve_request.keyword_weight,
            config.value('kb.keyword_weight')::double precision, _set.keyword_weight
        ),
        config.value('kb.keyword_mode'),
        coalesce(config.value('kb.retrieval_floor')::double precision, _set.retrieval_floor),
        coalesce(config.value('kb.relevance_threshold')::double precision, _set.relevance_floor),
        config.value('kb.keyword_coverage')::double precision,
        coalesce(config.value('kb.school_floor')::double precision, _set.school_floor),
        config.value('kb.school_coverage')::double precision,
        config.value('kb.school_boost_limit')::integer
    into _request;
    perform search.check_arguments(
        _request.top_k, _request.candidates, _request.statuses,
        _request.rrf_k, _request.vector_weight, _request.keyword_weight
    );
    return _request;
end;
$func$;

comment on function search.resolve_request is
'What a search was asked, checked and with nothing left out: arguments, then settings, then the embedding set''s own.';
