-- search.apply_floor
-- Say of each candidate whether it is relevant enough: dropped_because is NULL for the kept ones.
--
-- Kept: similarity at or over the relevance floor; a keyword hit on an identifier or on every
-- rare word of the question; without a query vector, a hit on enough of the question's idf.
-- Beside at least one kept chunk, the asked school's best few are kept over its own lower floor:
-- of similarity, or without a query vector of the question's idf.
--
-- called by  search.rank_candidates
-- raises     nothing

create or replace function search.apply_floor(
    hits search.ranked_hit[],
    has_vector boolean,
    relevance_floor double precision,
    school_floor double precision,
    school_limit integer,
    keyword_coverage double precision,
    school_coverage double precision
)
returns setof search.ranked_hit
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with judged as (
        select
            h as hit,
            case
                when h.floor_exempt then null
                when apply_floor.has_vector and h.similarity >= apply_floor.relevance_floor then null
                when apply_floor.has_vector then format(
                    'similarity %s is under the relevance floor %s',
                    coalesce(round(h.similarity::numeric, 3)::text, 'unknown'),
                    apply_floor.relevance_floor
                )
                when h.coverage >= apply_floor.keyword_coverage then null
                else format(
                    'matches %s of the question''s weight, under %s',
                    round(h.coverage::numeric, 2), apply_floor.keyword_coverage
                )
            end as reason
        from unnest(apply_floor.hits) as h
    ),

    tally as (
        select
            count(*) filter (where j.reason is null) as kept,
            count(*) filter (where j.reason is null and (j.hit).scope = 'school') as kept_of_school
        from judged as j
    ),

    -- the school's own under the floor but over its lower one, each text once
    school_hit as (
        select
            (j.hit).chunk_id,
            row_number() over (
                order by
                    (j.hit).similarity desc nulls last, (j.hit).coverage desc, (j.hit).chunk_id
            ) as place
        from (
            select
                u.*,
                row_number() over (
                    partition by (u.hit).content_hash
                    order by
                        u.reason is null desc, (u.hit).similarity desc nulls last,
                        (u.hit).coverage desc, (u.hit).chunk_id
                ) as copy
            from judged as u
            where
                u.reason is null
                or (
                    (u.hit).scope = 'school'
                    and case
                        when apply_floor.has_vector
                            then (u.hit).similarity >= apply_floor.school_floor
                        else (u.hit).coverage >= apply_floor.school_coverage
                    end
                )
        ) as j
        where j.copy = 1 and j.reason is not null
    ),

    lifted as (
        select
            j.hit,
            j.reason,
            coalesce(
                t.kept > 0 and s.place <= apply_floor.school_limit - t.kept_of_school, false
            ) as boosted
        from judged as j
        cross join tally as t
        left join school_hit as s on (j.hit).chunk_id = s.chunk_id
    )

    select
        (l.hit).chunk_id, (l.hit).document_id, (l.hit).version_id, (l.hit).scope,
        (l.hit).similarity, (l.hit).vector_rank, (l.hit).bm25_score, (l.hit).bm25_rank,
        (l.hit).matched_by, (l.hit).rrf_raw, (l.hit).freshness, (l.hit).authority_weight,
        (l.hit).boost, (l.hit).score, (l.hit).floor_exempt, (l.hit).coverage,
        l.boosted,
        case when not l.boosted then l.reason end,
        (l.hit).content_hash,
        case when l.reason is not null and not l.boosted then 'floor' end,
        (l.hit).place
    from lifted as l;
$func$;

comment on function search.apply_floor is
'Say of each candidate whether it is relevant enough: dropped_because is NULL for the kept ones.';
