-- terms.topics_for
-- Topic slugs of a question, all that apply.
--
-- called by  search.word_question, app/calls.py
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
    from terms.topic as t
    where terms.fold_text(left(topics_for.question, 4000)) ~* t.pattern;
$func$;

comment on function terms.topics_for is
'Topic slugs of a question, all that apply.';
