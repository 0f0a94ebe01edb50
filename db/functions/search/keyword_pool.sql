-- search.keyword_pool
-- The visible chunks that score best by these words alone: what the keyword leg scores exactly, by all words.
--
-- A word's postings in a scope come from its posting list there (search.list_postings) and from
-- the texts that came since, else from the index, narrowed to the scopes without a list. At most
-- budget postings of a word are read, the best first: of a list its head, of the index the chunks
-- that hold the word three times or oftener; the others score low by it.
--
-- called by  search.keyword_leg
-- raises     ST002 unusable setting

create or replace function search.keyword_pool(
    words search.query_word[],
    bm25 search.bm25,
    scopes search.visible_scope[],
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
    _scope_ids bigint[] := array(select s.scope_id from unnest(keyword_pool.scopes) as s);
    _visible double precision := (select sum(s.chunks) from unnest(keyword_pool.scopes) as s);
    _listed bigint[] := search.listed_scopes(_scope_ids);
begin
    return query
    with chosen_word as materialized (
        select
            w.lexeme,
            w.idf * case when w.expansion then _expansion_weight else 1 end as worth,
            terms.quote_lexeme(w.lexeme)::tsquery as term,
            -- search.scoped_lexemes
            terms.quote_lexeme('^' || w.lexeme)::tsquery as often,
            -- of its lists this part is read
            least(1, keyword_pool.budget / greatest(1, w.chunks * _visible / _corpus)) as part,
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
        from unnest(keyword_pool.words) as w
        cross join lateral (
            select coalesce(array_agg(p.scope_id), '{}') as scope_ids
            from search.posting_list as p
            where p.lexeme = w.lexeme collate "C" and p.scope_id = any(_listed)
        ) as l
        cross join lateral (
            select
                coalesce(array_agg(s.scope_id), '{}') as scope_ids,
                count(*) as scopes,
                sum(s.chunks) as chunks
            from unnest(keyword_pool.scopes) as s
            where s.scope_id <> all(l.scope_ids)
        ) as r
    ),

    posting as (
        -- age: 2 from a list, 1 from the index, 0 of what came since
        select u.chunk_id, 2 as age, w.worth * u.impact as worth
        from chosen_word as w
        inner join search.posting_list as p
            on w.lexeme = p.lexeme and p.scope_id = any(w.listed)
        cross join lateral (
            select unnest(p.chunk_ids) as chunk_id, unnest(p.impacts) as impact
            limit ceil(cardinality(p.chunk_ids) * w.part)
        ) as u
        union all
        select
            i.chunk_id, 0,
            -- a row without the word, too: a list may say what the text held under another title
            case
                when i.tf > 0
                    then w.worth * search.bm25_impact(i.tf, i.token_count, _mean_length, _k1, _b)
            end
        from chosen_word as w
        cross join lateral (
            select t.chunk_id, t.token_count, search.term_frequency(t.lexemes, w.term) as tf
            from search.recent_text as r
            inner join search.text_index as t on r.chunk_id = t.chunk_id
            where r.scope_id = any(w.listed)
            offset 0
        ) as i
        union all
        select
            i.chunk_id, 1,
            w.worth * search.bm25_impact(i.tf, i.token_count, _mean_length, _k1, _b)
        from chosen_word as w
        cross join lateral (
            select
                t.chunk_id, t.token_count, search.term_frequency(t.lexemes, w.term) as tf
            from (
                select x.chunk_id, x.token_count, x.lexemes
                from search.text_index as x
                where
                    search.scoped_lexemes(x.lexemes, x.scope_id) @@ (
                        case when w.too_common then w.often else w.term end && w.in_unlisted
                    )
                    -- not by an index of its own: the words' postings hold the scopes
                    and (x.scope_id = any(w.unlisted)) is true
                union all
                select x.chunk_id, x.token_count, x.lexemes
                from search.text_index as x
                where
                    search.scoped_lexemes(x.lexemes, x.scope_id) @@ (
                        case when w.too_common then w.term && !!w.often && w.in_unlisted end
                    )
                    and (x.scope_id = any(w.unlisted)) is true
                limit keyword_pool.budget
            ) as t
            -- worked out here: what is added up must not carry the lexemes along
            offset 0
        ) as i
        where cardinality(w.unlisted) > 0
    )

    select (b.found).*
    from (
        select v.found
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
                from posting as p
                group by p.chunk_id
            ) as u
            where u.worth is not null
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
end;
$func$;

comment on function search.keyword_pool is
'The visible chunks that score best by these words alone: what the keyword leg scores exactly, by all words.';
