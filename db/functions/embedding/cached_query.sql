-- embedding.cached_query
-- The vector of a question this viewer of this login asked before, for a set (the active one when not named) and its model; NULL when there is none.
--
-- called by  search.word_question, app/calls.py
-- raises     VE004 no set is active, VE005 unknown set

create or replace function embedding.cached_query(
    viewer text,
    question text,
    set_name text default null
)
returns public.vector
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select q.embedding::public.vector
    from embedding.named_set(cached_query.set_name) as s
    inner join embedding.query_cache as q on s.set_id = q.set_id and s.model = q.model
    where
        -- nobody learns from the cache what the viewers of another login asked
        q.login = session_user
        and q.viewer = cached_query.viewer
        and q.question_hash = embedding.question_hash(cached_query.question)
        and public.vector_dims(q.embedding) = s.width
        and q.expansion_revision = embedding.expansion_revision()
        and q.expires_at > now();
$func$;

comment on function embedding.cached_query is
'The vector of a question this viewer of this login asked before, for a set (the active one when not named) and its model; NULL when there is none.';
