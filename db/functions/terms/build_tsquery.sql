-- terms.build_tsquery
-- Any-term query of a question; words that only an expansion brought carry the label D. NULL when nothing can be searched for.
--
-- called by  search.word_question, eval.answer, eval.fill_pool, app/calls.py
-- raises     ST002 unusable setting; nothing because of the text: words are quoted, never parsed as
--            query syntax

create or replace function terms.build_tsquery(question text, expansions text[] default null)
returns tsquery
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with typed as (
        -- a longer question is cut: its first words say what it is about
        select terms.to_index(left(coalesce(build_tsquery.question, ''), 4000)) as lexemes
    ),

    added as (
        select terms.to_index(
            left(coalesce(array_to_string(build_tsquery.expansions, ' ; '), ''), 10000)
        ) as lexemes
    ),

    word as (
        select
            u.lexeme,
            '' as label
        from typed
        cross join lateral unnest(typed.lexemes) as u
        union all
        select
            u.lexeme,
            ':D' as label
        from added
        cross join lateral unnest(added.lexemes) as u
        where u.lexeme not in (
            select t.lexeme from typed cross join lateral unnest(typed.lexemes) as t
        )
    )

    select string_agg(
        terms.quote_lexeme(word.lexeme) || word.label, ' | ' order by word.label, word.lexeme
    )::tsquery
    from word;
$func$;

comment on function terms.build_tsquery is
'Any-term query of a question; words that only an expansion brought carry the label D. NULL when nothing can be searched for.';
