-- search.word_question
-- What search_kb needs of a question in words: its vector from the cache or the endpoint and the set that is of, its words with synonyms, its topics.
--
-- Where no vector can be had (no endpoint, no plpython3u) it is NULL and a notice says so. viewer
-- says whose cache is used, within those of the login.
--
-- called by  public.search_text, public.explain_text, public.why_not_text
-- writes     embedding.query_cache, unless the transaction is read-only
-- raises     SE003 empty question, VE004 no set is active, ST002 unusable setting

create or replace function search.word_question(
    question text,
    viewer text default null,
    out query_vec public.vector,
    out tsquery tsquery,
    out topics text[],
    out embedding_set text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    -- a switch meanwhile must not mix two models: every step is told the set
    _set embedding.set := embedding.active_set();
    -- what the endpoint is given, and so all that the vector depends on: a model reads a window of
    -- some 250 tokens at a time, and more of them take longer and say less of what is asked
    _question text := left(word_question.question, 1000);
    _viewer text := coalesce(word_question.viewer, '');
begin
    if coalesce(word_question.question, '') !~ '\S' then
        raise exception 'the question is empty'
            using errcode = 'SE003', hint = 'Ask with at least one word.';
    end if;
    embedding_set := _set.name;
    query_vec := embedding.cached_query(_viewer, _question, _set.name);
    if query_vec is null and to_regprocedure('embedding.embed_text(text, text)') is null then
        raise notice 'keyword search only: embedding.embed_text is not installed (it needs plpython3u)';
    elsif query_vec is null then
        begin
            execute 'select embedding.embed_text($1, $2)' into query_vec
            using _question, _set.name;
            perform embedding.check_vector(query_vec, _set);
            if not current_setting('transaction_read_only')::boolean then
                perform embedding.remember_query(_viewer, _question, query_vec, _set.name);
            end if;
        exception when sqlstate 'VE008' or sqlstate 'VE002' or sqlstate 'VE001' then
            query_vec := null;
            raise notice 'keyword search only: %', replace(sqlerrm, 'plpy.Error: ', '');
        end;
    end if;
    tsquery := terms.build_tsquery(
        word_question.question, terms.expand_query(word_question.question)
    );
    topics := terms.topics_for(word_question.question);
end;
$func$;

comment on function search.word_question is
'What search_kb needs of a question in words: its vector from the cache or the endpoint and the set that is of, its words with synonyms, its topics.';
