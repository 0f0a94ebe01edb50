-- public.search_kb
-- Retrieve: vector leg and BM25 leg within what the caller may see, fused, weighed, cut at the floor, assembled; best first, no row when nothing is relevant.
--
-- query_vec NULL or all zero is keyword only; tsquery NULL or empty is vector only. la, home_la
-- and urn say whom the question is for; without la only national text is searched, and all
-- areas when that has nothing. tags narrow, and are dropped when nothing is left. topics only
-- raise. principals are who the caller is, as the application established it. Arguments left
-- out are the settings kb.* (select * from config.settings), then the embedding set's own.
-- Writes nothing: runs in a read-only transaction and on a standby.
--
-- definer because  a reader may search but not read the tables: scope is applied in here
-- called by  every client
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split,
--            VE002 wrong width, VE004 no set is active, SE001, SE002, ST002 unusable setting

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
    keyword_weight double precision default null
)
returns setof public.search_result
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.active_set();
    _query public.halfvec;
    _top_k integer := coalesce(search_kb.top_k, config.value('kb.top_k')::integer);
    _statuses text[] := coalesce(
        search_kb.statuses, regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*')
    );
    _tags text[] := nullif(search_kb.tags, '{}');
    _no_la boolean := nullif(btrim(search_kb.la), '') is null
        and nullif(btrim(search_kb.home_la), '') is null
        and nullif(btrim(search_kb.urn), '') is null;
    _scopes search.visible_scope[];
    _hits search.ranked_hit[];
    _topic_fallback boolean := false;
    _broad_fallback boolean := false;
begin
    perform search.check_arguments(
        _top_k,
        coalesce(search_kb.candidates, 50),
        _statuses,
        coalesce(search_kb.rrf_k, 60),
        coalesce(search_kb.vector_weight, 0),
        coalesce(search_kb.keyword_weight, 0)
    );
    if search_kb.query_vec is not null and public.vector_norm(search_kb.query_vec) > 0 then
        _query := embedding.check_vector(search_kb.query_vec, _set);
    end if;

    -- first as asked; then without tags; then, when no place is known, in all areas
    <<attempt>>
    foreach _broad_fallback in array case when _no_la then array[false, true] else array[false] end
    loop
        _scopes := array(
            select s
            from search.visible_scopes(
                search_kb.la, search_kb.home_la, search_kb.urn, search_kb.principals,
                _broad_fallback
            ) as s
        );
        foreach _topic_fallback in array
            case when _tags is not null then array[false, true] else array[false] end
        loop
            _hits := array(
                select h
                from search.rank_candidates(
                    _query, search_kb.tsquery, _set, _scopes, _statuses,
                    case when not _topic_fallback then _tags end,
                    search_kb.topics, search_kb.as_of, search_kb.candidates, search_kb.rrf_k,
                    search_kb.vector_weight, search_kb.keyword_weight
                ) as h
                where h.dropped_because is null
            );
            exit attempt when cardinality(_hits) > 0;
        end loop;
    end loop attempt;

    return query
    select r.*
    from search.assemble(
        _hits,
        case when search_kb.as_of is null then _statuses else _statuses || 'superseded'::text end,
        _top_k, _topic_fallback, _broad_fallback
    ) as r;
end;
$func$;

comment on function public.search_kb is
'Retrieve: vector leg and BM25 leg within what the caller may see, fused, weighed, cut at the floor, assembled; best first, no row when nothing is relevant.';
