-- terms.expand_query
-- Terms to add to a question, from every synonym that fires; what was typed is kept by the caller.
--
-- called by  search.word_question, eval.answer, eval.fill_pool, chat.broader_question, app/calls.py
-- raises     nothing

create or replace function terms.expand_query(question text)
returns text[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(array_agg(distinct e.term order by e.term), '{}')
    from (
        -- folding makes up to 18 characters of one
        select left(terms.fold_text(left(expand_query.question, 4000)), 4000) as folded
        offset 0
    ) as q
    inner join terms.synonym as s
        -- the order of the tests matters: compiling a pattern costs far more than LIKE
        on case when s.required is null or q.folded like any(s.required)
            then q.folded ~* s.pattern and (s.unless is null or q.folded !~* s.unless)
        end
    cross join lateral unnest(s.expansions) as e (term);
$func$;

comment on function terms.expand_query is
'Terms to add to a question, from every synonym that fires; what was typed is kept by the caller.';
