-- search.term_frequency
-- How often a text holds a word, read from its positions; 0 where it does not hold it.
--
-- ts_rank of one word with equal weights is the sum of 1/i^2 up to its frequency over pi^2/6;
-- solved here for the frequency, exact over a tsvector's 256 positions. It looks one word up
-- where unnest would write out all of the text's. Without a pinned path, so that it is inlined.
--
-- called by  search.keyword_pool, search.keyword_pool_within, search.score_texts
-- raises     nothing

create or replace function search.term_frequency(
    lexemes tsvector,
    term tsquery
)
returns double precision
language sql
immutable
parallel safe
security invoker
as $func$
    select pg_catalog.round(
        1 / (1.64493406685
        * (1 - pg_catalog.ts_rank('{1,1,1,1}', term_frequency.lexemes, term_frequency.term)
            ::double precision)) - 0.5
    );
$func$;

comment on function search.term_frequency is
'How often a text holds a word, read from its positions; 0 where it does not hold it.';
