-- search.rank_candidates
-- Both legs, fusion, weights and floor over the given scopes: every candidate, kept or with the reason it was dropped.
--
-- called by  public.search_kb, public.explain_search
-- raises     ST002 unusable setting

create or replace function search.rank_candidates(
    query public.halfvec,
    tsquery tsquery,
    embedding_set embedding.set,
    scopes search.visible_scope[],
    statuses text[],
    tags text[] default null,
    topics text[] default null,
    as_of date default null,
    candidates integer default null,
    rrf_k double precision default null,
    vector_weight double precision default null,
    keyword_weight double precision default null
)
returns setof search.ranked_hit
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := rank_candidates.embedding_set;
    _candidates integer := coalesce(
        rank_candidates.candidates, config.value('kb.candidates')::integer
    );
    _retrieval_floor double precision := coalesce(
        config.value('kb.retrieval_floor')::double precision, _set.retrieval_floor
    );
    _school_floor double precision := coalesce(
        config.value('kb.school_floor')::double precision, _set.school_floor
    );
    _school_limit integer := config.value('kb.school_boost_limit')::integer;
    _scope_ids bigint[] := array(select s.scope_id from unnest(rank_candidates.scopes) as s);
    _school_ids bigint[] := array(
        select s.scope_id from unnest(rank_candidates.scopes) as s where s.label = 'school'
    );
    _vector_hits search.vector_hit[];
    _keyword_hits search.keyword_hit[];
    _hits search.ranked_hit[];
begin
    _vector_hits := array(
        select v
        from search.vector_leg(
            rank_candidates.query, _set.set_id, rank_candidates.scopes, rank_candidates.statuses,
            rank_candidates.tags, _candidates, _retrieval_floor, rank_candidates.as_of
        ) as v
    );
    if rank_candidates.query is not null and _school_limit > 0 and cardinality(_school_ids) > 0 then
        -- the asked school's best few are candidates even where the leg was full without them
        _vector_hits := array(
            select row(u.chunk_id, u.similarity, u.rank)::search.vector_hit
            from (
                select
                    h.chunk_id, h.similarity,
                    (rank() over (order by round(h.similarity::numeric, 9) desc))::integer as rank
                from (
                    select v.chunk_id, v.similarity from unnest(_vector_hits) as v
                    union
                    select s.chunk_id, s.similarity
                    from search.exact_hits(
                        rank_candidates.query, _set.set_id, _school_ids,
                        rank_candidates.statuses, rank_candidates.tags, _school_limit,
                        rank_candidates.as_of
                    ) as s
                    where
                        s.similarity >= _school_floor
                        and not exists (
                            select from unnest(_vector_hits) as v where v.chunk_id = s.chunk_id
                        )
                ) as h
            ) as u
        );
    end if;

    _keyword_hits := array(
        select k
        from search.keyword_leg(
            rank_candidates.tsquery, _scope_ids, rank_candidates.statuses, rank_candidates.tags,
            _candidates, rank_candidates.as_of,
            case
                when config.value('kb.keyword_mode') = 'vector_first'
                    and rank_candidates.query is not null
                    then array(select v.chunk_id from unnest(_vector_hits) as v)
            end
        ) as k
    );

    _hits := array(
        select h
        from search.fuse(
            _vector_hits, _keyword_hits,
            coalesce(rank_candidates.rrf_k, config.value('kb.rrf_k')::double precision),
            coalesce(
                rank_candidates.vector_weight,
                config.value('kb.vector_weight')::double precision, _set.vector_weight
            ),
            coalesce(
                rank_candidates.keyword_weight,
                config.value('kb.keyword_weight')::double precision, _set.keyword_weight
            )
        ) as h
    );
    if rank_candidates.query is not null then
        -- the floor asks for a similarity of the chunks that only the keyword leg found, too
        _hits := array(
            select row(
                h.chunk_id, h.document_id, h.version_id, h.scope,
                coalesce(h.similarity, s.similarity), h.vector_rank, h.bm25_score, h.bm25_rank,
                h.matched_by, h.rrf_raw, h.freshness, h.authority_weight, h.boost, h.score,
                h.floor_exempt, h.coverage, h.school_boosted, h.dropped_because
            )::search.ranked_hit
            from unnest(_hits) as h
            left join search.similarities(
                rank_candidates.query, _set.set_id,
                array(select m.chunk_id from unnest(_hits) as m where m.similarity is null)
            ) as s on h.chunk_id = s.chunk_id
        );
    end if;
    _hits := array(
        select h
        from search.weigh(
            _hits, rank_candidates.scopes, rank_candidates.topics,
            coalesce(rank_candidates.as_of, current_date)
        ) as h
    );
    return query
    select h.*
    from search.apply_floor(
        _hits,
        rank_candidates.query is not null,
        coalesce(
            config.value('kb.relevance_threshold')::double precision, _set.relevance_floor
        ),
        _school_floor,
        _school_limit,
        config.value('kb.keyword_coverage')::double precision
    ) as h
    order by h.score desc, h.chunk_id;
end;
$func$;

comment on function search.rank_candidates is
'Both legs, fusion, weights and floor over the given scopes: every candidate, kept or with the reason it was dropped.';
