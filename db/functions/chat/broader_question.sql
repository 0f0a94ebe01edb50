-- chat.broader_question
-- Other, broader words for a question that found nothing: the names of its topics and what its words stand for; NULL when there are none.
--
-- called by  app/chat/calls.py

create or replace function chat.broader_question(question text)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select nullif(string_agg(w.phrase, ' ' order by w.place), '')
    from (
        select t.name as phrase, 1 as place
        from terms.topic as t
        where t.slug = any(terms.topics_for(question => broader_question.question))
        union
        select e.phrase, 2
        from unnest(terms.expand_query(question => broader_question.question)) as e (phrase)
    ) as w;
$func$;

comment on function chat.broader_question is
'Other, broader words for a question that found nothing: the names of its topics and what its words stand for; NULL when there are none.';
