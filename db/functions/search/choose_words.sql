-- search.choose_words
-- The words whose postings are read to find candidates: rarest first until the budget is spent, never so few that they cannot fill the pool.
--
-- share is the part of the corpus that is visible: of a word's postings about that part is read.
--
-- called by  search.keyword_leg
-- raises     nothing

create or replace function search.choose_words(
    words search.query_word[],
    share double precision,
    budget double precision,
    pool integer
)
returns setof search.query_word
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select r.lexeme, r.expansion, r.identifier, r.chunks, r.idf
    from (
        select
            w.*,
            sum(w.chunks) over (order by w.chunks, w.lexeme) * choose_words.share as postings
        from unnest(choose_words.words) as w
        where w.chunks > 0
    ) as r
    where
        r.postings <= choose_words.budget
        or r.postings - r.chunks * choose_words.share < choose_words.pool
    order by r.postings;
$func$;

comment on function search.choose_words is
'The words whose postings are read to find candidates: rarest first until the budget is spent, never so few that they cannot fill the pool.';
