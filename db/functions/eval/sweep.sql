-- eval.sweep
-- What one choice of fusion gives for every pooled question of a set: fused anew by search.fuse, weighed, judged.
--
-- called by  bench/calls.py
-- raises     JU001 unknown set

create or replace function eval.sweep(
    set_name text,
    candidates integer,
    rrf_k double precision,
    vector_weight double precision,
    keyword_weight double precision
)
returns table (
    question_key text,
    split text,
    ndcg_10 double precision,
    recall_8 double precision,
    reciprocal_rank double precision
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with fused_document as (
        select
            p.question_id,
            c.document_key,
            max(f.rrf_raw * c.worth) as score,
            -- equal scores stand in the order of their chunks, as in search.assemble
            min(f.chunk_id) as first_chunk
        from eval.pool as p
        inner join eval.question as q on p.question_id = q.question_id
        cross join lateral search.fuse(
            p.vector_hits[1:sweep.candidates], p.keyword_hits[1:sweep.candidates],
            sweep.rrf_k, sweep.vector_weight, sweep.keyword_weight
        ) as f
        inner join eval.pool_chunk as c
            on p.question_id = c.question_id and f.chunk_id = c.chunk_id
        where q.question_set_id = (eval.named_set(sweep.set_name)).question_set_id
        group by p.question_id, c.document_key
    ),

    answer as (
        select
            d.question_id,
            array_agg(coalesce(v.grade, 0) order by d.score desc, d.first_chunk) as gains
        from fused_document as d
        left join eval.verdict as v
            on d.question_id = v.question_id and d.document_key = v.document_key
        group by d.question_id
    ),

    relevant as (
        select v.question_id, array_agg(v.grade) as judged
        from eval.verdict as v
        where v.grade > 0
        group by v.question_id
    )

    select
        q.question_key,
        q.split,
        eval.ndcg(coalesce(a.gains, '{}'), r.judged, 10),
        eval.recall(coalesce(a.gains, '{}'), r.judged, 8),
        eval.reciprocal_rank(coalesce(a.gains, '{}'), r.judged)
    from eval.question as q
    inner join relevant as r on q.question_id = r.question_id
    left join answer as a on q.question_id = a.question_id
    where q.question_set_id = (eval.named_set(sweep.set_name)).question_set_id
    order by q.question_key;
$func$;

comment on function eval.sweep is
'What one choice of fusion gives for every pooled question of a set: fused anew by search.fuse, weighed, judged.';
