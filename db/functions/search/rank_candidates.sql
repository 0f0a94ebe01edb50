-- search.rank_candidates
-- Both legs, fusion, weights and floor over the given scopes: every candidate, kept or with the reason it was dropped.
--
-- called by  search.retrieve, eval.fill_pool
-- raises     ST002 unusable setting

create or replace function search.rank_candidates(
    request search.request,
    scopes search.visible_scope[],
    tags text[],
    candidates integer
)
returns search.ranking
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _asked search.request := rank_candidates.request;
    _scope_ids bigint[] := array(select s.scope_id from unnest(rank_candidates.scopes) as s);
    _school_ids bigint[] := array(
        select s.scope_id
        from unnest(rank_candidates.scopes) as s
        where s.label = 'school' and _asked.school_limit > 0
    );
    -- more than are brought in: some may be copies of one text
    _school_depth integer := 5 * _asked.school_limit;
    _vector_hits search.vector_hit[];
    _keyword_hits search.keyword_hit[];
    _plans search.scope_plan[];
    _tagged bigint;   -- visible chunks with the tags, where the vector leg counted them
    _by_vector integer;
    _by_keyword integer;
    _last_ones bigint[];   -- of the legs that were cut
    _hits search.ranked_hit[];
    _begun timestamptz := clock_timestamp();
    _vector_done timestamptz;
    _keyword_done timestamptz;
begin
    select v.hits, v.plans, v.tagged into _vector_hits, _plans, _tagged
    from search.vector_leg(
        _asked.query, _asked.set_id, rank_candidates.scopes, _asked.statuses,
        rank_candidates.tags, rank_candidates.candidates, _asked.retrieval_floor, _asked.as_of
    ) as v;
    if rank_candidates.tags is not null and _asked.as_of is null and 0 = coalesce(
        _tagged,
        -- not counted without a vector
        (
            select count(*)
            from search.tagged_chunks(rank_candidates.tags, _scope_ids, _asked.statuses, 1)
        )
    ) then
        -- what no visible chunk carries, no words find either
        return row(
            '{}'::search.ranked_hit[], _plans, 0, 0, false,
            extract(epoch from clock_timestamp() - _begun) * 1000, 0, 0
        )::search.ranking;
    end if;
    _by_vector := cardinality(_vector_hits);
    _last_ones := array[(_vector_hits[rank_candidates.candidates]).chunk_id];
    if _asked.query is not null and cardinality(_school_ids) > 0 then
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
                        _asked.query, _asked.set_id, _school_ids, _asked.statuses,
                        rank_candidates.tags, _school_depth, _asked.as_of
                    ) as s
                    where
                        s.similarity >= _asked.school_floor
                        and not exists (
                            select from unnest(_vector_hits) as v where v.chunk_id = s.chunk_id
                        )
                ) as h
            ) as u
        );
    end if;
    _vector_done := clock_timestamp();

    _keyword_hits := array(
        select k
        from search.keyword_leg(
            _asked.tsquery, _scope_ids, _asked.statuses, rank_candidates.tags,
            rank_candidates.candidates, _asked.as_of,
            case
                when _asked.keyword_mode = 'vector_first' and _asked.query is not null
                    then array(select v.chunk_id from unnest(_vector_hits) as v)
            end
        ) as k
    );
    _by_keyword := cardinality(_keyword_hits);
    _last_ones := _last_ones || (_keyword_hits[rank_candidates.candidates]).chunk_id;
    if _asked.query is null and cardinality(_school_ids) > 0 then
        -- the same for the school where there is no vector to find it by
        _keyword_hits := array(
            select row(
                u.chunk_id, u.bm25_score, u.rank, u.identifier_matched, u.rare_words_matched,
                u.coverage
            )::search.keyword_hit
            from (
                select
                    h.chunk_id, h.bm25_score, h.identifier_matched, h.rare_words_matched,
                    h.coverage,
                    (rank() over (order by round(h.bm25_score::numeric, 9) desc))::integer as rank
                from (
                    select k.* from unnest(_keyword_hits) as k
                    union all
                    select s.*
                    from search.keyword_leg(
                        _asked.tsquery, _school_ids, _asked.statuses, rank_candidates.tags,
                        _school_depth, _asked.as_of
                    ) as s
                    where
                        -- what none of the school's carry, no words find there
                        (
                            rank_candidates.tags is null
                            or _asked.as_of is not null
                            or exists (
                                select
                                from search.tagged_chunks(
                                    rank_candidates.tags, _school_ids, _asked.statuses, 1
                                )
                            )
                        )
                        and not exists (
                            select from unnest(_keyword_hits) as k where k.chunk_id = s.chunk_id
                        )
                ) as h
            ) as u
        );
    end if;
    _keyword_done := clock_timestamp();

    _hits := array(
        select h
        from search.fuse(
            _vector_hits, _keyword_hits,
            _asked.rrf_k, _asked.vector_weight, _asked.keyword_weight
        ) as h
    );
    if _asked.query is not null then
        -- the floor asks for a similarity of the chunks that only the keyword leg found, too
        _hits := array(
            select row(
                h.chunk_id, h.document_id, h.version_id, h.scope,
                coalesce(h.similarity, s.similarity), h.vector_rank, h.bm25_score, h.bm25_rank,
                h.matched_by, h.rrf_raw, h.freshness, h.authority_weight, h.boost, h.score,
                h.floor_exempt, h.coverage, h.school_boosted, h.dropped_because,
                h.content_hash, h.dropped_at, h.place
            )::search.ranked_hit
            from unnest(_hits) as h
            left join search.similarities(
                _asked.query, _asked.set_id,
                array(select m.chunk_id from unnest(_hits) as m where m.similarity is null)
            ) as s on h.chunk_id = s.chunk_id
        );
    end if;
    _hits := array(
        select h
        from search.weigh(
            _hits, rank_candidates.scopes, _asked.topics, coalesce(_asked.as_of, current_date)
        ) as h
    );
    _hits := array(
        select h
        from search.apply_floor(
            _hits, _asked.query is not null, _asked.relevance_floor, _asked.school_floor,
            _asked.school_limit, _asked.keyword_coverage, _asked.school_coverage
        ) as h
        order by h.score desc, h.chunk_id
    );
    return row(
        _hits, _plans, _by_vector, _by_keyword,
        exists (
            select
            from unnest(_hits) as h
            where
                h.chunk_id = any(_last_ones)
                and h.dropped_because is null
                and not h.school_boosted
        ),
        extract(epoch from _vector_done - _begun) * 1000,
        extract(epoch from _keyword_done - _vector_done) * 1000,
        extract(epoch from clock_timestamp() - _keyword_done) * 1000
    )::search.ranking;
end;
$func$;

comment on function search.rank_candidates is
'Both legs, fusion, weights and floor over the given scopes: every candidate, kept or with the reason it was dropped.';
