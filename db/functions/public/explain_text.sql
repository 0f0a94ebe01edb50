-- public.explain_text
-- Explain a search from the words of a question: explain_search for search_text.
--
-- The arguments are those of search_text. Without a vector it is keyword only, as search_text is.
--
-- definer because  a reader may search but not read the tables or call the endpoint itself
-- called by  a person at psql
-- writes     embedding.query_cache, unless the transaction is read-only
-- raises     SE003 empty question, PL005 a postcode that tells no authority, and what search_kb
--            raises

create or replace function public.explain_text(
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
    from search.word_question(explain_text.question, explain_text.viewer) as w;
    select s.* into _scope
    from search.scope_of(
        explain_text.la, explain_text.home_la, explain_text.urn, explain_text.postcode
    ) as s;
    return query
    select r.*
    from public.explain_search(
        query_vec => _worded.query_vec,
        tsquery => _worded.tsquery,
        la => _scope.la_code,
        home_la => _scope.home_la_code,
        urn => _scope.school_urn,
        tags => explain_text.tags,
        top_k => explain_text.top_k,
        principals => explain_text.principals,
        as_of => explain_text.as_of,
        topics => _worded.topics,
        embedding_set => _worded.embedding_set
    ) as r;
end;
$func$;

comment on function public.explain_text is
'Explain a search from the words of a question: explain_search for search_text.';
