-- search.retrieve
-- Run a search and hand on everything it looked at: candidates with what became of each, scopes, plans, attempts, flags, timings.
--
-- First as asked; then without tags; then, when no place is known, in all areas. An attempt whose
-- answer has room although a leg was cut while its chunks still passed the floor (copies of one
-- text, one long document) is repeated deeper, to at most 1000 candidates a leg.
-- The one implementation of the search: who answers and who explains both call it.
--
-- called by  public.search_kb, public.explain_search, public.why_not, search.find
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split,
--            ST002 unusable setting

create or replace function search.retrieve(request search.request)
returns search.retrieval
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _asked search.request := retrieve.request;
    _scopes search.visible_scope[];
    _attempts search.attempt[] := '{}';
    _hits search.ranked_hit[];
    _everywhere boolean;
    _without_tags boolean;
    _ranking search.ranking;
    _tags text[];
    _candidates integer;
    _chosen integer;
    _scopes_ms double precision := 0;
    _vector_ms double precision := 0;
    _keyword_ms double precision := 0;
    _rank_ms double precision := 0;
    _choose_ms double precision := 0;
    _since timestamptz;
begin
    <<attempt>>
    foreach _everywhere in array
        case
            when coalesce(_asked.la, _asked.home_la, _asked.urn) is null then array[false, true]
            else array[false]
        end
    loop
        _since := clock_timestamp();
        _scopes := array(
            select s
            from search.visible_scopes(
                _asked.la, _asked.home_la, _asked.urn, _asked.principals,
                _everywhere
            ) as s
        );
        _scopes_ms := _scopes_ms + extract(epoch from clock_timestamp() - _since) * 1000;
        foreach _without_tags in array
            case when _asked.tags is not null then array[false, true] else array[false] end
        loop
            _tags := case when not _without_tags then _asked.tags end;
            _candidates := _asked.candidates;
            loop
                _ranking := search.rank_candidates(_asked, _scopes, _tags, _candidates);
                _since := clock_timestamp();
                _hits := array(
                    select h
                    from search.choose(
                        _ranking.hits, _asked.top_k, _asked.max_chunks_per_document
                    ) as h
                );
                _chosen := (
                    select count(*) from unnest(_hits) as h where h.place is not null
                );
                _attempts := _attempts || row(
                    cardinality(_attempts) + 1,
                    _tags, _everywhere, _candidates,
                    _ranking.vector_hits, _ranking.keyword_hits, cardinality(_ranking.hits),
                    (
                        select count(*)
                        from unnest(_ranking.hits) as h
                        where h.dropped_because is null
                    ),
                    _chosen
                )::search.attempt;
                _vector_ms := _vector_ms + _ranking.vector_ms;
                _keyword_ms := _keyword_ms + _ranking.keyword_ms;
                _rank_ms := _rank_ms + _ranking.rank_ms;
                _choose_ms := _choose_ms + extract(epoch from clock_timestamp() - _since) * 1000;
                exit when
                    _chosen >= _asked.top_k or not _ranking.more_would_pass or _candidates >= 1000;
                _candidates := least(1000, 3 * _candidates);
            end loop;
            exit attempt when _chosen > 0;
        end loop;
    end loop attempt;
    return row(
        _asked, _scopes, _ranking.plans, _attempts, _hits, _without_tags, _everywhere,
        jsonb_build_object(
            'scopes', round(_scopes_ms::numeric, 2),
            'vector_leg', round(_vector_ms::numeric, 2),
            'keyword_leg', round(_keyword_ms::numeric, 2),
            'rank', round(_rank_ms::numeric, 2),
            'choose', round(_choose_ms::numeric, 2)
        )
    )::search.retrieval;
end;
$func$;

comment on function search.retrieve is
'Run a search and hand on everything it looked at: candidates with what became of each, scopes, plans, attempts, flags, timings.';
