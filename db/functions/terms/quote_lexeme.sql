-- terms.quote_lexeme
-- A lexeme as it stands in the text of a tsquery: quoted, never parsed again.
--
-- called by  terms.build_tsquery, search.keyword_leg, search.explain_retrieval, search.keyword_pool
-- raises     nothing

create or replace function terms.quote_lexeme(lexeme text)
returns text
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select '''' || replace(replace(quote_lexeme.lexeme, '\', '\\'), '''', '''''') || '''';
$func$;

comment on function terms.quote_lexeme is
'A lexeme as it stands in the text of a tsquery: quoted, never parsed again.';
