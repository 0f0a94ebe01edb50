-- public.why_not_text
-- Why a chunk is not in the answer to a question in words: one row, as why_not gives it.
--
-- The arguments after the chunk are those of search_text. Without a vector it is keyword only, as search_text is.
--
-- definer because  a reader may search but not read the tables or call the endpoint itself
-- called by  a person at psql
-- writes     embedding.query_cache, unless the transaction is read-only
-- raises     SE003 empty question, PL005 a postcode that tells no authority, and what search_kb
--            raises

create or replace function public.why_not_text(
    chunk_id bigint,
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
returns table (verdict text, reason text, place integer, facts jsonb)
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
    from search.word_question(why_not_text.question, why_not_text.viewer) as w;
    select s.* into _scope
    from search.scope_of(
        why_not_text.la, why_not_text.home_la, why_not_text.urn, why_not_text.postcode
    ) as s;
    return query
    select r.*
    from public.why_not(
        chunk_id => why_not_text.chunk_id,
        query_vec => _worded.query_vec,
        tsquery => _worded.tsquery,
        la => _scope.la_code,
        home_la => _scope.home_la_code,
        urn => _scope.school_urn,
        tags => why_not_text.tags,
        top_k => why_not_text.top_k,
        principals => why_not_text.principals,
        as_of => why_not_text.as_of,
        topics => _worded.topics,
        embedding_set => _worded.embedding_set
    ) as r;
end;
$func$;

comment on function public.why_not_text is
'Why a chunk is not in the answer to a question in words: one row, as why_not gives it.';
