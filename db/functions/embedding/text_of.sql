-- embedding.text_of
-- What is sent to the model for a chunk: the title, so that a passage knows what it is about, and the passage.
--
-- called by  corpus.stage_document, embedding.chunks_to_embed, embedding.claim_chunks,
--            embedding.estimate_fill, corpus.index_versions, corpus.correct_facts,
--            search.keyword_pool_as_of
-- raises     nothing

create or replace function embedding.text_of(title text, content text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(nullif(btrim(text_of.title), '') || E'\n', '') || text_of.content;
$func$;

comment on function embedding.text_of is
'What is sent to the model for a chunk: the title, so that a passage knows what it is about, and the passage.';
