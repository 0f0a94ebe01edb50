-- search.keyword_leg
-- The keyword leg: the best visible chunks by BM25 over the whole visible corpus, any word matching; a chunk without a match is not there.
--
-- Bounded however common the words are: a pool of candidates comes from the posting lists of all
-- words and, where scopes have none, from the rarest words, until kb.keyword_budget of their
-- postings are read; the pool is scored exactly, by all words. Where that leaves the leg
-- under-filled, every visible chunk with any of the words is
-- looked at. A third of the places are kept for chunks with an identifier of the question, which
-- many texts with all its other words would crowd out. With within, only those chunks are scored
-- (the vector_first mode).
--
-- called by  search.rank_candidates, search.explain_miss
-- raises     ST002 unusable setting

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
as $func$
declare
    _budget bigint := config.value('kb.keyword_budget')::bigint;
    _pool_size integer := greatest(100, 2 * keyword_leg.candidates);
    _kept_places integer := greatest(1, keyword_leg.candidates / 3);   -- for identifiers
    _bm25 search.bm25;
    _words search.query_word[];
    _chosen search.query_word[];   -- those that are read from the index
    _identifiers search.query_word[];
    _any_word tsquery;
    _scopes search.visible_scope[];
    _listed bigint[];   -- of the scopes those with posting lists
    _share double precision;   -- of the corpus that the index is read for
    _pool search.text_index[];
begin
    if keyword_leg.tsquery is null or numnode(keyword_leg.tsquery) = 0
        or coalesce(cardinality(keyword_leg.scope_ids), 0) = 0
    then
        return;
    end if;
    _bm25 := search.bm25_settings();
    _words := array(select w from search.query_words(keyword_leg.tsquery) as w);
    _any_word := (
        select string_agg(terms.quote_lexeme(w.lexeme), ' | ')::tsquery from unnest(_words) as w
    );

    if keyword_leg.as_of is not null then
        _pool := array(
            select t
            from search.keyword_pool_as_of(
                _any_word, keyword_leg.as_of, keyword_leg.scope_ids, keyword_leg.statuses,
                keyword_leg.tags, keyword_leg.within
            ) as t
        );
    elsif keyword_leg.within is not null then
        _pool := array(
            select t
            from search.keyword_pool_within(
                _words, _bm25, keyword_leg.within, keyword_leg.scope_ids, keyword_leg.statuses,
                keyword_leg.tags, _pool_size
            ) as t
        );
    else
        _scopes := array(
            select row(z.scope_id, null, z.chunks)::search.visible_scope
            from search.scope_size as z
            where z.scope_id = any(keyword_leg.scope_ids) and z.chunks > 0
        );
        _listed := search.listed_scopes(keyword_leg.scope_ids);
        _share := (
            select least(1, coalesce(sum(s.chunks), 0) / _bm25.chunks)
            from unnest(_scopes) as s
            -- of so many scopes the index cannot be asked for some alone
            where s.scope_id <> all(_listed) or cardinality(_scopes) > 64
        );
        _chosen := array(
            select w from search.choose_words(_words, _share, _budget, _pool_size) as w
        );
        _pool := array(
            select t
            from search.keyword_pool(
                _words, _chosen, _bm25, _scopes, _listed, keyword_leg.statuses, keyword_leg.tags,
                _pool_size, _budget
            ) as t
        );
        if cardinality(_pool) < keyword_leg.candidates and (
            exists (
                select from unnest(_words) as w
                where w.chunks > 0 and w.lexeme not in (select c.lexeme from unnest(_chosen) as c)
            )
            or exists (select from unnest(_chosen) as w where w.chunks * _share > _budget)
        ) then
            -- few of the rarest words' chunks pass the filters: look from the filters' side
            _pool := array(
                select t
                from search.keyword_pool_within(
                    _words, _bm25, array(
                        select f.chunk_id
                        from corpus.chunk_fact as f
                        where
                            f.scope_id = any(keyword_leg.scope_ids)
                            and f.status = any(keyword_leg.statuses)
                            and (keyword_leg.tags is null or f.tags && keyword_leg.tags)
                    ),
                    keyword_leg.scope_ids, keyword_leg.statuses, keyword_leg.tags, _pool_size
                ) as t
            );
        end if;
        _identifiers := array(
            select w from unnest(_chosen) as w where w.identifier and not w.expansion
        );
        -- a full pool holds the best of them, too, where it holds as many as have places kept
        if cardinality(_pool) >= _pool_size and cardinality(_identifiers) > 0 and (
            select count(*)
            from unnest(_pool) as p
            where p.lexemes @@ (
                select string_agg(terms.quote_lexeme(i.lexeme), ' | ')::tsquery
                from unnest(_identifiers) as i
            )
        ) < _kept_places then
            _pool := _pool || array(
                select t
                from search.keyword_pool(
                    _identifiers, _identifiers, _bm25, _scopes, _listed, keyword_leg.statuses,
                    keyword_leg.tags, _pool_size / 4, _budget
                ) as t
                where not exists (
                    select from unnest(_pool) as p where p.chunk_id = t.chunk_id
                )
            );
        end if;
    end if;

    return query
    select
        r.chunk_id, r.bm25_score, r.rank, r.identifier_matched, r.rare_words_matched, r.coverage
    from (
        select s.*
        from (
            select
                h.*,
                row_number() over (
                    partition by h.identifier_matched order by h.rank, h.chunk_id
                ) as nth
            from search.score_texts(_pool, _words, _bm25) as h
        ) as s
        order by
            s.identifier_matched and s.nth <= _kept_places desc,
            s.rank, s.chunk_id
        limit keyword_leg.candidates
    ) as r
    order by r.rank, r.chunk_id;
end;
$func$;

comment on function search.keyword_leg is
'The keyword leg: the best visible chunks by BM25 over the whole visible corpus, any word matching; a chunk without a match is not there.';
