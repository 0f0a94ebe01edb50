-- search.keyword_pool
-- The visible chunks that score best by these words: what the keyword leg scores exactly, from their texts.
--
-- In a listed scope the posting lists are added up for all chunks at once (search.add_postings),
-- and the best are picked out; with tags, the scores of what does not carry them are taken away
-- before (search.tagged_scores). What the lists do not hold is read from the index and scored row by
-- row: scopes without lists, words that few chunks of a scope hold, texts that came since. Of the
-- index only the words in from_index are read, and at most budget postings of a word, those of the
-- chunks first that hold it three times or oftener; the others score low by it. Of the smallest
-- scopes without lists, as a school's, every text is looked at instead.
--
-- called by  search.keyword_leg
-- raises     nothing

create or replace function search.keyword_pool(
    words search.query_word[],
    from_index search.query_word[],
    bm25 search.bm25,
    scopes search.visible_scope[],
    listed bigint[],
    statuses text[],
    tags text[],
    pool integer,
    budget bigint
)
returns setof search.text_index
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- planned once for all calls: the plan has one shape whatever the words are, and that by indexes
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $func$
declare
    _k1 double precision := (keyword_pool.bm25).k1;
    _b double precision := (keyword_pool.bm25).b;
    _mean_length double precision := (keyword_pool.bm25).mean_length;
    _expansion_weight double precision := (keyword_pool.bm25).expansion_weight;
    _corpus double precision := (keyword_pool.bm25).chunks;
    _blocks search.block_scores[];
    _tagged_blocks search.block_scores[];
    _ceiling double precision := (
        select sum(w.idf * case when w.expansion then _expansion_weight else 1 end) * (_k1 + 1)
        from unnest(keyword_pool.words) as w
    );
    -- more than are asked for: some are not visible, some have gone
    _wanted integer := keyword_pool.pool + keyword_pool.pool / 4;
    _listed_chunks numeric := (
        select sum(s.chunks)
        from unnest(keyword_pool.scopes) as s
        where s.scope_id = any(keyword_pool.listed)
    );
    -- more carriers of the tags than that are not looked for one by one: of a common tag enough are
    -- among the best anyway
    _few bigint := least(20000, greatest(1000, _listed_chunks / 8));
    -- scopes so small that all their texts are looked at: of a question of many words the index is
    -- asked once for each, some 45 microseconds every time
    _small bigint[] := array(
        select r.scope_id
        from (
            select
                s.scope_id,
                sum(s.chunks) over (order by s.chunks, s.scope_id) as running
            from unnest(keyword_pool.scopes) as s
            where s.scope_id <> all(keyword_pool.listed)
        ) as r
        where r.running <= 100
    );
    _cut real;
    _level public.vector;
    _found search.text_index[];
    _over bigint;   -- of those so many score higher than all that was left out
begin
    _blocks := array(
        select b
        from search.add_postings(keyword_pool.words, keyword_pool.bm25, keyword_pool.listed) as b
    );
    if keyword_pool.tags is not null then
        _tagged_blocks := search.tagged_scores(
            _blocks, keyword_pool.tags, keyword_pool.listed, keyword_pool.statuses, _few
        );
        if _tagged_blocks is not null then
            _blocks := _tagged_blocks;
        else
            -- at worst that many of all carry them
            _wanted := _wanted * greatest(1, _listed_chunks / _few);
        end if;
    end if;
    loop
        _cut := search.score_cut(_blocks, _wanted, _ceiling);
        _level := search.level_vector(_cut);
        with chosen_word as materialized (
            select
                w.lexeme,
                w.idf * case when w.expansion then _expansion_weight else 1 end as worth,
                terms.quote_lexeme(w.lexeme)::tsquery as term,
                -- search.scoped_lexemes
                terms.quote_lexeme('^' || w.lexeme)::tsquery as often,
                l.scope_ids as listed,
                r.scope_ids as unlisted,
                -- by the scopes where that leaves out much, and can be asked for in one query
                case
                    when r.scopes <= 64 and r.chunks < 0.5 * _corpus then (
                        select string_agg(terms.quote_lexeme('@' || u.scope_id), ' | ')::tsquery
                        from unnest(r.scope_ids) as u (scope_id)
                    )
                    else terms.quote_lexeme(w.lexeme)::tsquery
                end as in_unlisted,
                w.chunks * r.chunks / _corpus > keyword_pool.budget as too_common
            from unnest(keyword_pool.from_index) as w
            cross join lateral (
                select coalesce(array_agg(distinct p.scope_id), '{}') as scope_ids
                from search.posting_list as p
                where
                    p.lexeme = w.lexeme collate "C"
                    and p.scope_id = any(keyword_pool.listed)
            ) as l
            cross join lateral (
                select
                    coalesce(array_agg(s.scope_id), '{}') as scope_ids,
                    count(*) as scopes,
                    sum(s.chunks) as chunks
                from unnest(keyword_pool.scopes) as s
                where s.scope_id <> all(l.scope_ids) and s.scope_id <> all(_small)
            ) as r
        ),

        -- looked for once, not for each word: mostly there is none
        recent as materialized (
            select r.chunk_id, r.scope_id
            from search.recent_text as r
            where r.scope_id = any(keyword_pool.listed)
        ),

        -- age: 1 from the index, 0 of what came since the scope was listed
        indexed_posting as materialized (
            select
                i.chunk_id, i.scope_id, 0 as age,
                -- a row without the word, too: a list may say what the text held under
                -- another title
                case
                    when i.tf > 0
                        then i.worth
                            * search.bm25_impact(i.tf, i.token_count, _mean_length, _k1, _b)
                end as worth
            from (
                select r.scope_id, t.chunk_id, t.token_count, w.worth,
                    search.term_frequency(t.lexemes, w.term) as tf
                from recent as r
                inner join search.text_index as t on r.chunk_id = t.chunk_id
                inner join chosen_word as w on r.scope_id = any(w.listed)
                offset 0
            ) as i
            union all
            select
                i.chunk_id, i.scope_id, 1,
                w.worth * search.bm25_impact(i.tf, i.token_count, _mean_length, _k1, _b)
            from chosen_word as w
            cross join lateral (
                select
                    t.chunk_id, t.scope_id, t.token_count,
                    search.term_frequency(t.lexemes, w.term) as tf
                from (
                    select x.chunk_id, x.scope_id, x.token_count, x.lexemes
                    from search.text_index as x
                    where
                        search.scoped_lexemes(x.lexemes, x.scope_id) @@ (
                            case when w.too_common then w.often else w.term end
                            && w.in_unlisted
                        )
                        -- not by an index of its own: the words' postings hold the scopes
                        and (x.scope_id = any(w.unlisted)) is true
                    union all
                    select x.chunk_id, x.scope_id, x.token_count, x.lexemes
                    from search.text_index as x
                    where
                        search.scoped_lexemes(x.lexemes, x.scope_id) @@ (
                            case
                                when w.too_common then w.term && !!w.often && w.in_unlisted
                            end
                        )
                        and (x.scope_id = any(w.unlisted)) is true
                    limit keyword_pool.budget
                ) as t
                -- worked out here: what is added up must not carry the lexemes along
                offset 0
            ) as i
            where cardinality(w.unlisted) > 0
            union all
            select
                t.chunk_id, t.scope_id, 1,
                w.worth * search.bm25_impact(i.tf, t.token_count, _mean_length, _k1, _b)
            from search.text_index as t
            cross join chosen_word as w
            cross join lateral (
                select search.term_frequency(t.lexemes, w.term) as tf
                offset 0
            ) as i
            -- asked first whether it holds the word at all, which takes half as long
            where t.scope_id = any(_small) and t.lexemes @@ w.term and i.tf > 0
        ),

        -- of listed scopes: what the index adds to
        looked_up as materialized (
            select x.scope_id, array_agg(distinct x.chunk_id) as chunk_ids
            from indexed_posting as x
            where x.scope_id = any(keyword_pool.listed)
            group by x.scope_id
        ),

        -- age: 2, from the lists: what exceeds the cut
        listed_score as (
            select
                b.chunk_ids[g.place] as chunk_id,
                2 as age,
                -- a norm is the quickest way to a number of a vector: no score is below zero
                public.vector_norm(public.subvector(b.scores, g.place, 1)) as worth
            from (
                -- in rows that are read once: to keep whole blocks takes longer than to make them
                select
                    k.chunk_ids || '{}'::bigint[] as chunk_ids,
                    u.scores,
                    string_to_array(public.binary_quantize(
                        u.scores operator(public.-) case
                            when public.vector_dims(u.scores) = 16000 then _level
                            else public.subvector(_level, 1, public.vector_dims(u.scores))
                        end
                    )::text, '1') as gaps
                from unnest(_blocks) as u
                inner join search.listed_block as k
                    on u.scope_id = k.scope_id and u.block = k.block
                offset 0
            ) as b
            cross join lateral (
                -- every 1 among the bits ends a gap, but for the last, which nothing ends
                select
                    u.number,
                    (sum(length(u.gap) + 1) over (order by u.number))::integer as place
                from unnest(b.gaps) with ordinality as u (gap, number)
            ) as g
            where g.number < cardinality(b.gaps)
            union all
            -- under the cut by the lists alone
            select i.chunk_id, 2, w.worth
            from (
                select
                    l.chunk_ids as wanted, k.chunk_ids || '{}'::bigint[] as chunk_ids, u.scores
                from looked_up as l
                inner join unnest(_blocks) as u on l.scope_id = u.scope_id
                inner join search.listed_block as k
                    on u.scope_id = k.scope_id and u.block = k.block
                offset 0
            ) as b
            cross join lateral unnest(b.wanted) as i (chunk_id)
            cross join lateral (
                select width_bucket(i.chunk_id, b.chunk_ids) as place
            ) as p
            cross join lateral (
                select public.vector_norm(
                    public.subvector(b.scores, greatest(1, p.place), 1)
                ) as worth
            ) as w
            where b.chunk_ids[p.place] = i.chunk_id and w.worth <= _cut
        )

        select
            coalesce(array_agg(b.found order by b.worth desc, b.chunk_id), '{}'),
            count(*) filter (where b.worth > _cut)
        into _found, _over
        from (
            select v.found, p.worth, p.chunk_id
            from (
                select u.chunk_id, u.worth
                from (
                    select
                        p.chunk_id,
                        -- what came again is listed as it was before, which counts no more
                        case
                            when min(p.age) = 0 then sum(p.worth) filter (where p.age < 2)
                            else sum(p.worth)
                        end as worth
                    from (
                        select x.chunk_id, x.age, x.worth from indexed_posting as x
                        union all
                        select s.chunk_id, s.age, s.worth from listed_score as s
                    ) as p
                    group by p.chunk_id
                ) as u
                where u.worth > 0
                order by u.worth desc, u.chunk_id
            ) as p
            -- looked up best first until enough are found: most are visible
            cross join lateral (
                select
                from corpus.chunk_fact as f
                where
                    f.chunk_id = p.chunk_id
                    and f.status = any(keyword_pool.statuses)
                    and (keyword_pool.tags is null or f.tags && keyword_pool.tags)
                offset 0
            ) as f
            -- a list may name a chunk that has left the index since
            cross join lateral (
                select t as found from search.text_index as t where t.chunk_id = p.chunk_id
                offset 0
            ) as v
            order by p.worth desc, p.chunk_id
            limit keyword_pool.pool
        ) as b;
        exit when _over >= keyword_pool.pool or _cut <= 0;
        -- the filters leave too few of the best
        _wanted := 8 * _wanted;
    end loop;
    return query select f.* from unnest(_found) as f;
end;
$func$;

comment on function search.keyword_pool is
'The visible chunks that score best by these words: what the keyword leg scores exactly, from their texts.';
