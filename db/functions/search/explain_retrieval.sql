-- search.explain_retrieval
-- One row per thing a search looked at in each of its steps, in their order, with the reason in words.
--
-- How common a word is in the whole corpus is told to admins only: anybody else gets what lies
-- within reach, as a word of a text out of reach must not show.
--
-- called by  public.explain_search
-- raises     ST002 unusable setting

create or replace function search.explain_retrieval(retrieval search.retrieval)
returns table (
    stage_no integer,
    stage text,
    chunk_id bigint,
    title text,
    scope text,
    rank integer,
    value double precision,
    kept boolean,
    reason text,
    detail jsonb
)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with asked as materialized (
        select
            ((explain_retrieval.retrieval).request).*,
            (
                select array_agg(s.scope_id)
                from unnest((explain_retrieval.retrieval).scopes) as s
            ) as scope_ids,
            search.caller_is_admin() as by_admin
    ),

    word as (
        select
            w.lexeme, w.expansion, w.identifier, w.chunks, w.idf, a.by_admin, r.chunks as in_reach,
            row_number() over (order by w.idf desc, w.lexeme) as rank
        from asked as a
        cross join lateral search.query_words(a.tsquery) as w
        -- counted to a limit: the most common words are in every other text
        cross join lateral (
            select count(*) as chunks
            from (
                select
                from search.text_index as t
                inner join corpus.chunk_fact as f on t.chunk_id = f.chunk_id
                where
                    t.lexemes @@ terms.quote_lexeme(w.lexeme)::tsquery
                    and t.scope_id = any(a.scope_ids)
                    and f.status = any(a.statuses)
                limit 10000
            ) as o
        ) as r
    ),

    hit as materialized (
        select
            h.*,
            v.title,
            rank() over (order by h.rrf_raw desc) as fused_rank,
            rank() over (order by h.score desc) as weighed_rank,
            jsonb_strip_nulls(to_jsonb(h) - 'content_hash') as detail
        from unnest((explain_retrieval.retrieval).hits) as h
        inner join corpus.version as v on h.version_id = v.version_id
    ),

    step as (
        select
            1 as stage_no, 'request' as stage, null::bigint as chunk_id, null::text as title,
            null::text as scope, null::bigint as rank, null::double precision as value,
            true as kept,
            format(
                '%s; top_k %s, %s candidates a leg, k %s, weights %s vector and %s keyword, '
                'floors %s retrieval, %s relevance, %s school; states %s',
                case
                    when a.query is null then 'keyword leg only (no query vector)'
                    when a.tsquery is null or numnode(a.tsquery) = 0
                        then 'vector leg only (no words)'
                    else 'both legs'
                end,
                a.top_k, a.candidates, a.rrf_k, a.vector_weight, a.keyword_weight,
                a.retrieval_floor, a.relevance_floor, a.school_floor,
                array_to_string(a.statuses, ', ')
            ) as reason,
            jsonb_strip_nulls(
                to_jsonb(a) - '{query,tsquery,scope_ids,by_admin,principals}'::text[]
            ) as detail
        from asked as a
        union all
        select
            2, 'word', null, w.lexeme, null, w.rank,
            case when w.in_reach > 0 or w.by_admin then w.idf end,
            w.in_reach > 0,
            case when w.identifier then 'identifier, ' else '' end
            || case when w.expansion then 'brought by a synonym, ' else '' end
            || case
                when w.in_reach = 0 then 'in no chunk within reach'
                else format(
                    'in %s chunks within reach, idf %s',
                    case when w.in_reach = 10000 then 'at least ' else '' end || w.in_reach,
                    round(w.idf::numeric, 2)
                )
            end,
            case when w.by_admin then jsonb_build_object('chunks_of_corpus', w.chunks) end
        from word as w
        union all
        select
            3, 'attempt', null, null, null, t.attempt, null,
            t.attempt = cardinality((explain_retrieval.retrieval).attempts),
            format(
                '%s, %s, %s candidates a leg: %s by vector, %s by keyword, %s fused, '
                '%s over the floor, %s chosen',
                coalesce(
                    'tags ' || array_to_string(t.tags, ', '),
                    case when a.tags is null then 'no tags' else 'tags dropped' end
                ),
                case when t.everywhere then 'all areas' else 'the scopes of the call' end,
                t.candidates, t.vector_hits, t.keyword_hits, t.fused, t.kept, t.chosen
            ),
            to_jsonb(t)
        from asked as a
        cross join unnest((explain_retrieval.retrieval).attempts) as t
        union all
        select
            4, 'scope', null, null, p.label,
            row_number() over (order by p.chunks, p.scope_id), p.chunks, p.plan <> 'none',
            p.plan || ': ' || p.reason, to_jsonb(p)
        from unnest((explain_retrieval.retrieval).plans) as p
        union all
        select
            5, 'vector', h.chunk_id, h.title, h.scope, h.vector_rank, h.similarity, true,
            format(
                'similarity %s is rank %s', round(h.similarity::numeric, 3), h.vector_rank
            ),
            null
        from hit as h
        where h.vector_rank is not null
        union all
        select
            6, 'keyword', h.chunk_id, h.title, h.scope, h.bm25_rank, h.bm25_score, true,
            format(
                'BM25 %s is rank %s, %s of the question''s idf%s',
                round(h.bm25_score::numeric, 2), h.bm25_rank, round(h.coverage::numeric, 2),
                case when h.floor_exempt then ', an identifier or every rare word' else '' end
            ),
            null
        from hit as h
        where h.bm25_rank is not null
        union all
        select
            7, 'fusion', h.chunk_id, h.title, h.scope, h.fused_rank, h.rrf_raw, true,
            concat_ws(
                ' + ',
                format('%s / (%s + ', a.vector_weight, a.rrf_k) || h.vector_rank || ')',
                format('%s / (%s + ', a.keyword_weight, a.rrf_k) || h.bm25_rank || ')'
            ),
            null
        from hit as h
        cross join asked as a
        union all
        select
            8, 'weights', h.chunk_id, h.title, h.scope, h.weighed_rank, h.score, true,
            format(
                '%s fused x %s freshness x %s publisher x %s topic and place',
                round(h.rrf_raw::numeric, 5), round(h.freshness::numeric, 3), h.authority_weight,
                round(h.boost::numeric, 3)
            ),
            null
        from hit as h
        union all
        select
            9, 'floor', h.chunk_id, h.title, h.scope, h.weighed_rank,
            coalesce(h.similarity, h.coverage), h.dropped_at is distinct from 'floor',
            case
                when h.dropped_at = 'floor' then h.dropped_because
                when h.floor_exempt
                    then 'no floor for what holds an identifier or every rare word of the question'
                when h.school_boosted
                    then format('brought in for the school, over its floor %s', case
                        when a.query is null then a.school_coverage else a.school_floor
                    end)
                when a.query is null then format(
                    'matches %s of the question''s weight, %s is enough',
                    round(h.coverage::numeric, 2), a.keyword_coverage
                )
                else format(
                    'similarity %s reaches the relevance floor %s',
                    round(h.similarity::numeric, 3), a.relevance_floor
                )
            end,
            null
        from hit as h
        cross join asked as a
        union all
        select
            10, 'choice', h.chunk_id, h.title, h.scope, h.weighed_rank, h.score,
            h.place is not null, coalesce(h.dropped_because, 'chosen'), null
        from hit as h
        where h.dropped_at is distinct from 'floor'
        union all
        select
            11, 'answer', h.chunk_id, h.title, h.scope, h.place, h.score, true,
            format('place %s of %s', h.place, count(*) over ()), h.detail
        from hit as h
        where h.place is not null
    )

    select
        s.stage_no, s.stage, s.chunk_id, s.title, s.scope, s.rank::integer, s.value, s.kept,
        s.reason, s.detail
    from step as s
    order by s.stage_no, s.rank, s.chunk_id;
$func$;

comment on function search.explain_retrieval is
'One row per thing a search looked at in each of its steps, in their order, with the reason in words.';
