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
    -- under the login's own name: nobody learns from the cache what another's viewers asked
    _viewer text := session_user || coalesce(' ' || search_text.viewer, '');
    _query public.vector;
    _scope record;
begin
    if coalesce(search_text.question, '') !~ '\S' then
        raise exception 'the question is empty'
            using errcode = 'SE003', hint = 'Ask with at least one word.';
    end if;
    select s.* into _scope
    from search.scope_of(
        search_text.la, search_text.home_la, search_text.urn, search_text.postcode
    ) as s;
    _query := embedding.cached_query(_viewer, search_text.question);
    if _query is null and to_regprocedure('embedding.embed_text(text)') is null then
        raise notice 'keyword search only: embedding.embed_text is not installed (it needs plpython3u)';
    elsif _query is null then
        begin
            execute 'select embedding.embed_text($1)' into _query using left(search_text.question, 4000);
            perform embedding.check_vector(_query, embedding.active_set());
            if not current_setting('transaction_read_only')::boolean then
                perform embedding.remember_query(_viewer, search_text.question, _query);
            end if;
        exception when sqlstate 'VE008' or sqlstate 'VE002' or sqlstate 'VE001' then
            _query := null;
            raise notice 'keyword search only: %', replace(sqlerrm, 'plpy.Error: ', '');
        end;
    end if;
    return query
    select r.*
    from public.search_kb(
        query_vec => _query,
        tsquery => terms.build_tsquery(
            search_text.question, terms.expand_query(search_text.question)
        ),
        la => _scope.la_code,
        home_la => _scope.home_la_code,
        urn => _scope.school_urn,
        tags => search_text.tags,
        top_k => search_text.top_k,
        principals => search_text.principals,
        as_of => search_text.as_of,
        topics => terms.topics_for(search_text.question)
    ) as r;
end;
$func$;

comment on function public.search_text is
'Search from the words of a question: topics, synonyms, query vector from the cache or the endpoint, then search_kb.';
