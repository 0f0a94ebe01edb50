-- search.explain_miss
-- Why no leg of a retrieval brought a visible chunk: its true rank in each leg, and the one that came closest.
--
-- Scans every visible chunk for the rank: for a person who asks, not for an answer.
--
-- called by  search.explain_absence
-- raises     ST002 unusable setting

create or replace function search.explain_miss(
    retrieval search.retrieval,
    chunk_id bigint,
    out verdict text,
    out reason text,
    out facts jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _asked search.request := (explain_miss.retrieval).request;
    _last search.attempt := (explain_miss.retrieval).attempts[
        cardinality((explain_miss.retrieval).attempts)
    ];
    _scope_ids bigint[] := array(
        select s.scope_id from unnest((explain_miss.retrieval).scopes) as s
    );
    _similarity double precision;
    _vector_rank bigint;
    _word_score double precision;
    _word_rank integer;
    _vector_verdict text;
    _vector_reason text;
    _word_verdict text;
    _word_reason text;
begin
    if _asked.query is null then
        _vector_reason := 'no query vector';
    else
        select s.similarity into _similarity
        from search.similarities(
            _asked.query, _asked.set_id, array[explain_miss.chunk_id]
        ) as s;
        if _similarity is null then
            _vector_verdict := 'no_vector';
            _vector_reason := 'it has no vector in the active embedding set';
        elsif _similarity < _asked.retrieval_floor then
            _vector_verdict := 'under_retrieval_floor';
            _vector_reason := format(
                'similarity %s is under the retrieval floor %s',
                round(_similarity::numeric, 3), _asked.retrieval_floor
            );
        else
            select 1 + count(*) into _vector_rank
            from search.exact_hits(
                _asked.query, _asked.set_id, _scope_ids, _asked.statuses, _last.tags, null,
                _asked.as_of
            ) as e
            where (-e.similarity, e.chunk_id) < (-_similarity, explain_miss.chunk_id);
            _vector_verdict := case
                when _vector_rank > _last.candidates then 'others_nearer'
                else 'missed_by_index'
            end;
            _vector_reason := format(
                'similarity %s is number %s of the visible chunks, %s', round(_similarity::numeric, 3),
                _vector_rank, case
                    when _vector_rank > _last.candidates
                        then format('the vector leg brings %s', _last.candidates)
                    else 'and the index, which is approximate, passed it over (see kb.ef_search)'
                end
            );
        end if;
    end if;

    select k.bm25_score into _word_score
    from search.keyword_leg(
        _asked.tsquery, _scope_ids, _asked.statuses, _last.tags, 1, _asked.as_of,
        array[explain_miss.chunk_id]
    ) as k;
    if _word_score is null then
        _word_verdict := 'no_word_matches';
        _word_reason := 'no word of the question that was looked up is in it';
    elsif _asked.keyword_mode = 'vector_first' and _asked.query is not null then
        _word_verdict := 'only_vector_hits';
        _word_reason := 'kb.keyword_mode vector_first scores the words of vector hits only';
    else
        select k.rank into _word_rank
        from search.keyword_leg(
            _asked.tsquery, _scope_ids, _asked.statuses, _last.tags, 1000, _asked.as_of
        ) as k
        where k.chunk_id = explain_miss.chunk_id;
        _word_verdict := 'other_words_better';
        _word_reason := format(
            'BM25 %s is rank %s, the keyword leg brings %s', round(_word_score::numeric, 2),
            coalesce(_word_rank::text, 'beyond 1000'), _last.candidates
        );
    end if;

    select v.verdict into verdict
    from unnest(array[
        'missed_by_index', 'others_nearer', 'other_words_better', 'only_vector_hits',
        'under_retrieval_floor', 'no_vector', 'no_word_matches'
    ]) with ordinality as v (verdict, n)
    where v.verdict in (_vector_verdict, _word_verdict)
    order by v.n
    limit 1;
    reason := _vector_reason || '; ' || _word_reason;
    facts := jsonb_strip_nulls(jsonb_build_object(
        'similarity', _similarity,
        'true_vector_rank', _vector_rank,
        'bm25_score', _word_score,
        'true_bm25_rank', _word_rank,
        'candidates', _last.candidates
    ));
end;
$func$;

comment on function search.explain_miss is
'Why no leg of a retrieval brought a visible chunk: its true rank in each leg, and the one that came closest.';
