-- eval.fill_pool
-- Run both legs of every question of a set once, to this depth, and keep what fusion needs; returns how many questions are left.
--
-- As search_kb asks first: the fallbacks without tags and to all areas, and what search.choose
-- does with equal texts and reserved places, take no part. What is pooled already stays: delete from eval.pool to
-- begin again with another depth or other settings.
--
-- called by  bench/calls.py
-- writes     eval.pool, eval.pool_chunk
-- raises     JU001 unknown set, JU004 a question lacks its vector, ST001 unknown setting,
--            ST002 a value that cannot be used

create or replace function eval.fill_pool(
    set_name text,
    depth integer,
    settings jsonb default '{}',
    at_most integer default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _before jsonb;   -- the settings of the session, given back at the end
    _set eval.question_set := eval.named_set(fill_pool.set_name);
    _active embedding.set := embedding.active_set();
    _question record;
    _asked search.request;
    _hits search.ranked_hit[];
    _left bigint;
begin
    perform eval.require_vectors(_set);
    _before := eval.use_settings(fill_pool.settings);
    for _question in
        select q.*, v.embedding, s.la_code, s.home_la_code, s.school_urn
        from eval.question as q
        cross join lateral search.scope_of(q.la, q.home_la, q.urn) as s
        inner join eval.question_vector as v
            on q.question_id = v.question_id and v.set_id = _active.set_id
        where
            q.question_set_id = _set.question_set_id
            and not exists (select from eval.pool as p where p.question_id = q.question_id)
        order by q.question_id
        limit fill_pool.at_most
    loop
        _asked := search.resolve_request(
            query_vec => _question.embedding::public.vector,
            tsquery => terms.build_tsquery(
                _question.question, terms.expand_query(_question.question)
            ),
            la => _question.la_code,
            home_la => _question.home_la_code,
            urn => _question.school_urn,
            tags => _question.tags,
            topics => terms.topics_for(_question.question),
            as_of => _question.as_of,
            embedding_set => _active.name
        );
        _hits := (search.rank_candidates(
            request => _asked,
            scopes => array(
                select s
                from search.visible_scopes(_asked.la, _asked.home_la, _asked.urn) as s
            ),
            tags => _asked.tags,
            candidates => fill_pool.depth
        )).hits;
        insert into eval.pool (question_id, vector_hits, keyword_hits)
        values (
            _question.question_id,
            array(
                select row(h.chunk_id, h.similarity, h.vector_rank)::search.vector_hit
                from unnest(_hits) as h
                where h.vector_rank is not null
                order by h.vector_rank, h.chunk_id
            ),
            array(
                select row(
                    h.chunk_id, h.bm25_score, h.bm25_rank, h.floor_exempt, false, h.coverage
                )::search.keyword_hit
                from unnest(_hits) as h
                where h.bm25_rank is not null
                order by h.bm25_rank, h.chunk_id
            )
        );
        insert into eval.pool_chunk (question_id, chunk_id, document_key, worth)
        select
            _question.question_id, h.chunk_id,
            eval.document_name(_set.question_set_id, h.document_id),
            h.freshness * h.authority_weight * h.boost
        from unnest(_hits) as h
        where h.dropped_at is null;
    end loop;
    perform eval.use_settings(_before);

    select count(*) into _left
    from eval.question as q
    where
        q.question_set_id = _set.question_set_id
        and not exists (select from eval.pool as p where p.question_id = q.question_id);
    return _left;
end;
$func$;

comment on function eval.fill_pool is
'Run both legs of every question of a set once, to this depth, and keep what fusion needs; returns how many questions are left.';
