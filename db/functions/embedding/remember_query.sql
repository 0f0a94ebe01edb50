-- embedding.remember_query
-- Keep the vector of a question for this viewer of this login until kb.query_cache_days are over.
--
-- Not kept: a question of nobody, or of a viewer over 1000 bytes. set_name is the set the vector was
-- made for, the active one when not named.
--
-- called by  search.word_question, app/calls.py
-- writes     embedding.query_cache
-- raises     VE001 zero vector, VE002 wrong width, VE003 not a vector, VE005 unknown set, ST002
--            unusable setting

create or replace function embedding.remember_query(
    viewer text,
    question text,
    given public.vector,
    set_name text default null
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(remember_query.set_name);
    _days integer := config.value('kb.query_cache_days')::integer;
begin
    if _days = 0 or remember_query.viewer is null or remember_query.question is null
        -- longer than any name, and than an index holds
        or octet_length(remember_query.viewer) > 1000
    then
        return;
    end if;
    insert into embedding.query_cache
        (login, viewer, question_hash, set_id, model, expansion_revision, embedding, expires_at)
    values (
        session_user,
        remember_query.viewer,
        embedding.question_hash(remember_query.question),
        _set.set_id,
        _set.model,
        embedding.expansion_revision(),
        embedding.check_vector(remember_query.given, _set),
        now() + make_interval(days => _days)
    )
    on conflict on constraint query_cache_pk do update set
        embedding = excluded.embedding, expires_at = excluded.expires_at;
end;
$func$;

comment on function embedding.remember_query is
'Keep the vector of a question for this viewer of this login until kb.query_cache_days are over.';
