-- search.assemble
-- The answer from the kept candidates: equal texts once, few chunks a document, the best top_k, each with its neighbours as context.
--
-- Neighbours are of the same version, under the same visibility, without the overlap; a
-- neighbour that is in the answer itself is not repeated.
--
-- called by  public.search_kb
-- raises     ST002 unusable setting

create or replace function search.assemble(
    hits search.ranked_hit[],
    statuses text[],
    top_k integer,
    topic_fallback_used boolean default false,
    no_la_broad_fallback_used boolean default false
)
returns setof public.search_result
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with hit as (
        select
            h as h,
            c.content,
            c.chunk_index,
            c.start_at,
            c.start_at + length(c.content) as end_at,
            c.scope_id,
            row_number() over (
                partition by c.content_hash order by h.score desc, h.chunk_id
            ) as copy
        from unnest(assemble.hits) as h
        inner join corpus.chunk as c on h.chunk_id = c.chunk_id
        where h.dropped_because is null
    ),

    numbered_hit as (
        select
            n.*,
            row_number() over (
                partition by (n.h).document_id order by (n.h).score desc, (n.h).chunk_id
            ) as place_in_document
        from hit as n
        where n.copy = 1
    ),

    placed_hit as (
        select
            n.*,
            row_number() over (
                partition by (n.h).school_boosted, (n.h).floor_exempt
                order by (n.h).score desc, (n.h).chunk_id
            ) <= case
                when (n.h).school_boosted then assemble.top_k / 2
                when (n.h).floor_exempt then assemble.top_k / 3
                else 0
            end as has_a_place
        from numbered_hit as n
        where
            n.place_in_document
            <= (select config.value('kb.max_chunks_per_document')::integer)
    ),

    -- a chunk with the very identifier or all rare words of the question, which fusion may rank
    -- under many merely similar ones, and what was brought in for the asked school keep some places
    chosen_hit as (
        select p.*
        from placed_hit as p
        order by p.has_a_place desc, (p.h).school_boosted, (p.h).score desc, (p.h).chunk_id
        limit assemble.top_k
    ),

    answer as (
        select
            n.*,
            case when (select config.value('kb.chunk_expansion_enabled')::boolean) then (
                select
                    left(p.content, greatest(0, n.start_at - p.start_at))
                    || case when p.start_at + length(p.content) < n.start_at then E'\n' else '' end
                from corpus.chunk as p
                inner join corpus.chunk_fact as f on p.chunk_id = f.chunk_id
                where
                    p.version_id = (n.h).version_id
                    and p.chunk_index = n.chunk_index - 1
                    and f.status = any(assemble.statuses)
                    and p.chunk_id not in (select (o.h).chunk_id from chosen_hit as o)
            ) end as text_before,
            case when (select config.value('kb.chunk_expansion_enabled')::boolean) then (
                select
                    case when x.start_at > n.end_at then E'\n' else '' end
                    || substr(x.content, greatest(1, n.end_at - x.start_at + 1))
                from corpus.chunk as x
                inner join corpus.chunk_fact as f on x.chunk_id = f.chunk_id
                where
                    x.version_id = (n.h).version_id
                    and x.chunk_index = n.chunk_index + 1
                    and f.status = any(assemble.statuses)
                    and x.chunk_id not in (select (o.h).chunk_id from chosen_hit as o)
            ) end as text_after
        from chosen_hit as n
    )

    select
        (a.h).chunk_id,
        (a.h).document_id,
        v.title,
        d.source,
        a.content,
        coalesce(a.text_before, '') || a.content || coalesce(a.text_after, ''),
        a.chunk_index,
        s.la_code,
        s.school_urn,
        f.tags,
        v.document_type,
        v.authority,
        v.version,
        v.effective_date,
        v.published_at,
        (a.h).scope,
        (a.h).similarity,
        (a.h).vector_rank,
        (a.h).bm25_score,
        (a.h).bm25_rank,
        (a.h).matched_by,
        (a.h).rrf_raw,
        (a.h).freshness,
        (a.h).authority_weight,
        (a.h).boost,
        (a.h).score,
        assemble.topic_fallback_used,
        assemble.no_la_broad_fallback_used,
        (a.h).school_boosted
    from answer as a
    inner join corpus.version as v on (a.h).version_id = v.version_id
    inner join corpus.document as d on (a.h).document_id = d.document_id
    inner join corpus.scope as s on a.scope_id = s.scope_id
    inner join corpus.chunk_fact as f on (a.h).chunk_id = f.chunk_id
    -- what was only brought in for the school never stands above what answers the question
    order by (a.h).school_boosted, (a.h).score desc, (a.h).chunk_id;
$func$;

comment on function search.assemble is
'The answer from the kept candidates: equal texts once, few chunks a document, the best top_k, each with its neighbours as context.';
