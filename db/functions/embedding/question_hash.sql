-- embedding.question_hash
-- SHA-256 of the folded question: what stands in the cache instead of the question.
--
-- called by  embedding.cached_query, embedding.remember_query
-- raises     nothing

create or replace function embedding.question_hash(question text)
returns bytea
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select sha256(convert_to(terms.fold_text(question_hash.question), 'UTF8'));
$func$;

comment on function embedding.question_hash is
'SHA-256 of the folded question: what stands in the cache instead of the question.';
