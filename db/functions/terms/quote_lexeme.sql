-- terms.quote_lexeme
-- A lexeme as it stands in the text of a tsquery: quoted, never parsed again.
--
-- Without a pinned path, so that it is inlined: it is called for every word of a question.
--
-- called by  terms.build_tsquery, search.keyword_leg, search.explain_retrieval, search.keyword_pool,
--            search.keyword_pool_within, search.score_texts
-- raises     nothing

create or replace function terms.quote_lexeme(lexeme text)
returns text
language sql
immutable
parallel safe
strict
security invoker
as $func$
    select
        '''' || pg_catalog.replace(
            pg_catalog.replace(quote_lexeme.lexeme, '\', '\\'), '''', ''''''
        ) || '''';
$func$;

comment on function terms.quote_lexeme is
'A lexeme as it stands in the text of a tsquery: quoted, never parsed again.';
