-- embedding.cached_query
-- The vector of a question this viewer asked before, for the active set; NULL when there is none.
--
-- called by  search.word_question, app/calls.py
-- raises     EM004 no set is active

create or replace function embedding.cached_query(viewer text, question text)
returns public.vector
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select q.embedding::public.vector
    from embedding.query_cache as q
    where
        q.viewer = cached_query.viewer
        and q.question_hash = embedding.question_hash(cached_query.question)
        and q.set_id = (embedding.active_set()).set_id
        and q.expansion_revision = embedding.expansion_revision()
        and q.expires_at > now();
$func$;

comment on function embedding.cached_query is
'The vector of a question this viewer asked before, for the active set; NULL when there is none.';
