-- terms.topics_for
-- Topic slugs of a question, all that apply.
--
-- called by  search.word_question, eval.answer, eval.fill_pool, chat.standalone_question,
--            chat.broader_question, app/calls.py
-- raises     nothing

create or replace function terms.topics_for(question text)
returns text[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(array_agg(t.slug order by t.slug), '{}')
    from (
        -- folding makes up to 18 characters of one
        select left(terms.fold_text(left(topics_for.question, 4000)), 4000) as folded
        offset 0
    ) as q
    inner join terms.topic as t
        -- the order of the tests matters: compiling a pattern costs far more than LIKE
        on case when t.required is null or q.folded like any(t.required)
            then q.folded ~* t.pattern
        end;
$func$;

comment on function terms.topics_for is
'Topic slugs of a question, all that apply.';
