-- search.query_words
-- The positive words of a tsquery with how common each is, rarest first, at most kb.keyword_terms; negated ones are left out.
--
-- A word labelled D alone came from a synonym (terms.build_tsquery). A prefix (word:*) stands for
-- the sixteen most common words it begins.
--
-- called by  search.keyword_leg, search.explain_retrieval
-- raises     ST002 unusable setting

create or replace function search.query_words(tsquery tsquery)
returns setof search.query_word
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- a session keeps the plan that it made while no delta waited, when reading all of them was cheapest
set enable_seqscan = off
as $func$
    with corpus_size as (
        select greatest(coalesce(sum(z.chunks), 0), 1) as chunks
        from search.scope_size as z
        where z.scope_id = 0
    ),

    -- querytree is the query without its negations, in the text form of a tsquery
    written_word as (
        select
            replace(replace(m.part[1], '''''', ''''), '\\', '\') as lexeme,
            coalesce(m.part[2], '') = 'D' as expansion,
            coalesce(m.part[2], '') like '%*%' as prefix
        from regexp_matches(
            querytree(query_words.tsquery), '''((?:[^'']|'''')+)''(?::([*ABCD]+))?', 'g'
        ) as m (part)
    ),

    word as (
        select
            e.lexeme,
            bool_and(w.expansion) as expansion
        from written_word as w
        cross join lateral (
            select w.lexeme
            where not w.prefix
            union all
            (
                select s.lexeme
                from (
                    select k.lexeme, k.chunks
                    from search.lexeme_stat as k
                    where
                        w.prefix
                        and k.lexeme >= w.lexeme collate "C"
                        and k.lexeme < (w.lexeme || U&'\+10ffff') collate "C"
                    union all
                    select d.lexeme, d.chunks
                    from search.lexeme_delta as d
                    where
                        w.prefix
                        and d.lexeme >= w.lexeme collate "C"
                        and d.lexeme < (w.lexeme || U&'\+10ffff') collate "C"
                ) as s
                group by s.lexeme
                having sum(s.chunks) > 0
                order by sum(s.chunks) desc, s.lexeme
                limit 16
            )
        ) as e
        group by e.lexeme
    ),

    -- materialized: counted once, not for each of its uses
    counted_word as materialized (
        select
            w.lexeme,
            w.expansion,
            left(w.lexeme, 1) = '#' as identifier,
            greatest(0, coalesce((
                select s.chunks from search.lexeme_stat as s where s.lexeme = w.lexeme collate "C"
            ), 0) + coalesce((
                select sum(d.chunks)
                from search.lexeme_delta as d
                where d.lexeme = w.lexeme collate "C"
            ), 0))::bigint as chunks
        from word as w
    )

    select
        c.lexeme, c.expansion, c.identifier, c.chunks, search.idf(n.chunks, c.chunks)
    from counted_word as c
    cross join corpus_size as n
    -- words that no chunk holds come last of their kind: they must not crowd out one that is found
    order by c.expansion, c.chunks = 0, c.chunks, c.lexeme
    limit config.value('kb.keyword_terms')::integer;
$func$;

comment on function search.query_words is
'The positive words of a tsquery with how common each is, rarest first, at most kb.keyword_terms; negated ones are left out.';
