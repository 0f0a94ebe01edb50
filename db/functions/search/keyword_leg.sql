-- search.keyword_leg
-- The keyword leg: the best visible chunks by BM25 over the whole visible corpus, any word matching; a chunk without a match is not there.
--
-- score = sum of weight * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))
-- (Robertson & Zaragoza 2009; idf of search.query_words; a synonym weighs kb.expansion_weight).
-- Bounded however common the words are: candidates come from the rarest words first, until
-- kb.keyword_budget postings are read; only the best of them are scored exactly, by all words.
-- With within, only those chunks are scored (the vector_first mode).
--
-- called by  search.rank_candidates
-- raises     nothing

create or replace function search.keyword_leg(
    tsquery tsquery,
    scope_ids bigint[],
    statuses text[],
    tags text[] default null,
    candidates integer default 50,
    as_of date default null,
    within bigint[] default null
)
returns setof search.keyword_hit
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $func$
declare
    _words search.query_word[];
    _chosen search.query_word[];
    _k1 double precision := config.value('kb.bm25_k1')::double precision;
    _b double precision := config.value('kb.bm25_b')::double precision;
    _expansion_weight double precision := config.value('kb.expansion_weight')::double precision;
    _budget bigint := config.value('kb.keyword_budget')::bigint;
    _rare_share double precision := config.value('kb.rare_share')::double precision;
    _chunks double precision;
    _mean_length double precision;
    _typed_idf double precision;   -- of the words the person typed
    _added_idf double precision;   -- of the words synonyms added
    _rare_words integer;
    _lexemes text[];
    _any_word tsquery;
begin
    if keyword_leg.tsquery is null or numnode(keyword_leg.tsquery) = 0
        or coalesce(cardinality(keyword_leg.scope_ids), 0) = 0
    then
        return;
    end if;
    _words := array(select w from search.query_words(keyword_leg.tsquery) as w);
    select greatest(1, sum(z.chunks)), greatest(1, sum(z.tokens)) / greatest(1, sum(z.chunks))
    into _chunks, _mean_length
    from search.scope_size as z
    where z.scope_id = 0;
    _chunks := coalesce(_chunks, 1);
    _mean_length := coalesce(_mean_length, 1);
    select
        sum(w.idf) filter (where not w.expansion and not w.identifier),
        sum(w.idf) filter (where w.expansion),
        count(*) filter (
            where not w.expansion and not w.identifier
                and w.chunks <= greatest(3, _rare_share * _chunks)
        )
    into _typed_idf, _added_idf, _rare_words
    from unnest(_words) as w;
    _any_word := (
        select string_agg(terms.quote_lexeme(w.lexeme), ' | ')::tsquery from unnest(_words) as w
    );
    _lexemes := array(select w.lexeme from unnest(_words) as w);
    -- rarest first, at least one, until the budget is spent
    _chosen := array(
        select r.word
        from (
            select
                w as word,
                w.chunks as chunks,
                sum(w.chunks) over (order by w.chunks, w.lexeme) - w.chunks as before
            from unnest(_words) as w
            where w.chunks > 0
        ) as r
        where r.before + r.chunks <= _budget or r.before = 0
        order by r.chunks
    );

    return query
    with chosen_word as materialized (
        select
            w.lexeme,
            w.idf * case when w.expansion then _expansion_weight else 1 end as worth,
            (terms.quote_lexeme(w.lexeme))::tsquery as term
        from unnest(_chosen) as w
    ),

    posting as (
        select
            p.chunk_id,
            sum(
                w.worth * p.tf * (_k1 + 1)
                / (p.tf + _k1 * (1 - _b + _b * p.token_count / _mean_length))
            ) as worth
        from chosen_word as w
        cross join lateral (
            select
                t.chunk_id,
                t.token_count,
                -- ts_rank of one word with equal weights is the sum of 1/i^2 up to its frequency
                -- over pi^2/6; solved for the frequency, exact over a tsvector's 256 positions
                round(
                    1 / (1.64493406685
                    * (1 - ts_rank('{1,1,1,1}', t.lexemes, w.term)::double precision)) - 0.5
                ) as tf
            from search.text_index as t
            where
                keyword_leg.as_of is null
                and t.lexemes @@ w.term
                and t.scope_id = any(keyword_leg.scope_ids)
                and (keyword_leg.within is null or t.chunk_id = any(keyword_leg.within))
            -- the rarest word of a question may be more common than the budget allows
            limit _budget
        ) as p
        group by p.chunk_id
    ),

    candidate as (
        (
            select t.chunk_id, t.lexemes, t.token_count
            from (
                select p.chunk_id
                from (
                    select q.chunk_id, q.worth from posting as q order by q.worth desc, q.chunk_id
                ) as p
                -- looked up best first until enough are found: most are visible
                cross join lateral (
                    select
                    from corpus.chunk_fact as f
                    where
                        f.chunk_id = p.chunk_id
                        and f.status = any(keyword_leg.statuses)
                        and (keyword_leg.tags is null or f.tags && keyword_leg.tags)
                    offset 0
                ) as f
                order by p.worth desc, p.chunk_id
                limit greatest(200, 4 * keyword_leg.candidates)
            ) as best
            inner join search.text_index as t on best.chunk_id = t.chunk_id
        )
        union all
        -- superseded versions are not indexed: their words are found again from the text
        select c.chunk_id, i.lexemes, coalesce(i.token_count, terms.count_tokens(i.lexemes))
        from search.chunks_as_of(
            keyword_leg.as_of, keyword_leg.scope_ids, keyword_leg.statuses, keyword_leg.tags
        ) as a (chunk_id)
        inner join corpus.chunk as c on a.chunk_id = c.chunk_id
        inner join corpus.version as v on c.version_id = v.version_id
        left join search.text_index as t on c.chunk_id = t.chunk_id
        cross join lateral (
            select
                coalesce(
                    t.lexemes, terms.to_index(embedding.text_of(v.title, c.content))
                ) as lexemes,
                t.token_count
            -- keeps the words of a text from being found anew for every use
            offset 0
        ) as i
        where
            keyword_leg.as_of is not null
            and i.lexemes @@ _any_word
            and (keyword_leg.within is null or c.chunk_id = any(keyword_leg.within))
    ),

    scored as (
        select
            c.chunk_id,
            sum(
                w.idf * case when w.expansion then _expansion_weight else 1 end
                * m.tf * (_k1 + 1)
                / (m.tf + _k1 * (1 - _b + _b * c.token_count / _mean_length))
            ) as bm25_score,
            bool_or(w.identifier and not w.expansion) as identifier_matched,
            count(*) filter (
                where not w.expansion and not w.identifier
                    and w.chunks <= greatest(3, _rare_share * _chunks)
            ) as rare_words_matched,
            coalesce(sum(w.idf) filter (where not w.expansion and not w.identifier), 0) as typed_idf,
            coalesce(sum(w.idf) filter (where w.expansion), 0) as added_idf
        from candidate as c
        cross join lateral (
            select u.lexeme, coalesce(cardinality(u.positions), 1)::double precision as tf
            from unnest(ts_delete(c.lexemes, tsvector_to_array(ts_delete(c.lexemes, _lexemes)))) as u
        ) as m
        inner join unnest(_words) as w on m.lexeme = w.lexeme
        group by c.chunk_id
    )

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
    from scored as s
    where s.bm25_score > 0
    order by 3, s.chunk_id
    limit keyword_leg.candidates;
end;
$func$;

comment on function search.keyword_leg is
'The keyword leg: the best visible chunks by BM25 over the whole visible corpus, any word matching; a chunk without a match is not there.';
