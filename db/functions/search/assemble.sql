-- search.assemble
-- The answer of a retrieval: its chosen chunks in their places, each with its neighbours as context.
--
-- Neighbours are of the same version, under the same visibility, without the overlap; a
-- neighbour that is in the answer itself is not repeated.
--
-- called by  public.search_kb, search.find
-- raises     ST002 unusable setting

create or replace function search.assemble(retrieval search.retrieval)
returns setof public.search_result
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with chosen_hit as (
        select
            h as h,
            c.content,
            c.chunk_index,
            c.start_at,
            c.start_at + length(c.content) as end_at,
            c.page_from,
            c.page_to,
            c.heading_path,
            c.scope_id
        from unnest((assemble.retrieval).hits) as h
        inner join corpus.chunk as c on h.chunk_id = c.chunk_id
        where h.place is not null
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
                    -- of a superseded version: what it was when it was superseded
                    and coalesce(f.status_before, f.status)
                    = any(((assemble.retrieval).request).statuses)
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
                    -- of a superseded version: what it was when it was superseded
                    and coalesce(f.status_before, f.status)
                    = any(((assemble.retrieval).request).statuses)
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
        (assemble.retrieval).topic_fallback_used,
        (assemble.retrieval).no_la_broad_fallback_used,
        (a.h).school_boosted,
        a.page_from,
        a.page_to,
        a.heading_path
    from answer as a
    inner join corpus.version as v on (a.h).version_id = v.version_id
    inner join corpus.document as d on (a.h).document_id = d.document_id
    inner join corpus.scope as s on a.scope_id = s.scope_id
    inner join corpus.chunk_fact as f on (a.h).chunk_id = f.chunk_id
    order by (a.h).place;
$func$;

comment on function search.assemble is
'The answer of a retrieval: its chosen chunks in their places, each with its neighbours as context.';
