-- search.score_texts
-- BM25 of texts by all words of a question, best first; a text without any of them is left out.
--
-- score = sum of weight * idf * search.bm25_impact; idf of search.query_words, and a synonym weighs
-- kb.expansion_weight.
--
-- called by  search.keyword_leg
-- raises     nothing

create or replace function search.score_texts(
    texts search.text_index[],
    words search.query_word[],
    bm25 search.bm25
)
returns setof search.keyword_hit
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _k1 double precision := (score_texts.bm25).k1;
    _b double precision := (score_texts.bm25).b;
    _mean_length double precision := (score_texts.bm25).mean_length;
    _expansion_weight double precision := (score_texts.bm25).expansion_weight;
    _rare_chunks double precision := (score_texts.bm25).rare_chunks;
    _typed_idf double precision;   -- of the words the person typed
    _added_idf double precision;   -- of the words synonyms added
    _rare_words integer;
begin
    select
        sum(w.idf) filter (where not w.expansion and not w.identifier),
        sum(w.idf) filter (where w.expansion),
        count(*) filter (
            where not w.expansion and not w.identifier and w.chunks <= _rare_chunks
        )
    into _typed_idf, _added_idf, _rare_words
    from unnest(score_texts.words) as w;

    return query
    select
        s.chunk_id,
        s.bm25_score,
        (rank() over (order by round(s.bm25_score::numeric, 9) desc))::integer,
        s.identifier_matched,
        _rare_words > 0 and s.rare_words_matched = _rare_words,
        greatest(
            coalesce(s.typed_idf / nullif(_typed_idf, 0), 0),
            coalesce(s.added_idf / nullif(_added_idf, 0), 0)
        )
    from (
        select
            c.chunk_id,
            sum(
                w.idf * case when w.expansion then _expansion_weight else 1 end
                * search.bm25_impact(m.tf, c.token_count, _mean_length, _k1, _b)
            ) as bm25_score,
            bool_or(w.identifier and not w.expansion) as identifier_matched,
            count(*) filter (
                where not w.expansion and not w.identifier and w.chunks <= _rare_chunks
            ) as rare_words_matched,
            coalesce(
                sum(w.idf) filter (where not w.expansion and not w.identifier), 0
            ) as typed_idf,
            coalesce(sum(w.idf) filter (where w.expansion), 0) as added_idf
        from unnest(score_texts.texts) as c
        cross join (
            select q.*, terms.quote_lexeme(q.lexeme)::tsquery as term
            from unnest(score_texts.words) as q
            -- once for each word, not for each text
            offset 0
        ) as w
        cross join lateral (
            select search.term_frequency(c.lexemes, w.term) as tf
            offset 0
        ) as m
        -- asked first: most texts hold few of many words, and to say so takes half as long
        where c.lexemes @@ w.term and m.tf > 0
        group by c.chunk_id
    ) as s
    where s.bm25_score > 0
    order by 3, s.chunk_id;
end;
$func$;

comment on function search.score_texts is
'BM25 of texts by all words of a question, best first; a text without any of them is left out.';
