-- search.idf
-- The inverse document frequency of a word that so many chunks of the corpus hold, as in Lucene: ln(1 + (N - n + 0.5) / (n + 0.5)).
--
-- N counts as n at least: the two are kept apart and may disagree for a moment.
--
-- called by  search.query_words, search.list_postings
-- raises     nothing

create or replace function search.idf(corpus double precision, chunks double precision)
returns double precision
language sql
immutable
parallel safe
security invoker
as $func$
    select pg_catalog.ln(
        1 + (greatest(idf.corpus, idf.chunks) - idf.chunks + 0.5) / (idf.chunks + 0.5)
    );
$func$;

comment on function search.idf is
'The inverse document frequency of a word that so many chunks of the corpus hold, as in Lucene: ln(1 + (N - n + 0.5) / (n + 0.5)).';
