-- search.weigh
-- Mild weights after fusion: freshness, kind of publisher, topic and local boosts; score = rrf_raw times all of them.
--
-- called by  search.rank_candidates
-- raises     ST002 unusable setting

create or replace function search.weigh(
    hits search.ranked_hit[],
    scopes search.visible_scope[],
    topics text[] default null,
    on_day date default current_date
)
returns setof search.ranked_hit
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- materialized: read and checked once, not for each candidate
    with setting as materialized (
        select
            config.value('kb.freshness_floor')::double precision as freshness_floor,
            config.value('kb.topic_boost')::double precision as topic_boost,
            config.value('kb.local_boost')::double precision as local_boost
    ),

    weighed as (
        select
            h as hit,
            c.document_id,
            c.version_id,
            c.content_hash,
            s.label,
            search.freshness(v.effective_date, weigh.on_day, setting.freshness_floor) as freshness,
            coalesce(r.weight, 1) as authority_weight,
            case
                -- looked up only where there is a topic to look for, each by its key: as a condition
                -- with exists all chunks with the topics may be looked up first
                when cardinality(weigh.topics) > 0 then (
                    select case when f.tags && weigh.topics then setting.topic_boost else 1 end
                    from corpus.chunk_fact as f
                    where f.chunk_id = c.chunk_id
                )
                else 1
            end
            * case when s.label in ('la', 'home_la', 'school') then setting.local_boost else 1 end
            as boost
        from unnest(weigh.hits) as h
        cross join setting
        inner join corpus.chunk as c on h.chunk_id = c.chunk_id
        inner join corpus.version as v on c.version_id = v.version_id
        inner join unnest(weigh.scopes) as s on c.scope_id = s.scope_id
        left join corpus.authority_rank as r on v.authority = r.authority
    )

    select
        (w.hit).chunk_id,
        w.document_id,
        w.version_id,
        w.label,
        (w.hit).similarity,
        (w.hit).vector_rank,
        (w.hit).bm25_score,
        (w.hit).bm25_rank,
        (w.hit).matched_by,
        (w.hit).rrf_raw,
        w.freshness,
        w.authority_weight,
        w.boost,
        (w.hit).rrf_raw * w.freshness * w.authority_weight * w.boost,
        (w.hit).floor_exempt,
        (w.hit).coverage,
        (w.hit).school_boosted,
        (w.hit).dropped_because,
        w.content_hash,
        (w.hit).dropped_at,
        (w.hit).place
    from weighed as w;
$func$;

comment on function search.weigh is
'Mild weights after fusion: freshness, kind of publisher, topic and local boosts; score = rrf_raw times all of them.';
