-- eval.document_name
-- The name that judgements of a set give a stored document: the first where it has several, its number where it has none.
--
-- called by  eval.answer, eval.fill_pool
-- raises     nothing

create or replace function eval.document_name(question_set_id integer, document_id bigint)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(min(d.document_key), 'document ' || document_name.document_id)
    from eval.document as d
    where
        d.question_set_id = document_name.question_set_id
        and d.document_id = document_name.document_id;
$func$;

comment on function eval.document_name is
'The name that judgements of a set give a stored document: the first where it has several, its number where it has none.';
