-- search.hash_question
-- Fingerprint of the folded question under this database's own key: equal questions are equal, none can be guessed.
--
-- Not embedding.question_hash: with the same hash in both tables a record would name the viewer.
--
-- definer because  whoever records a search must not read the key
-- called by  search.record_search
-- raises     nothing

create or replace function search.hash_question(question text)
returns bytea
language sql
stable
parallel safe
strict
security definer
set search_path = pg_catalog, pg_temp
as $func$
    select sha256(k.key || convert_to(terms.fold_text(hash_question.question), 'UTF8'))
    from search.hash_key as k;
$func$;

comment on function search.hash_question is
'Fingerprint of the folded question under this database''s own key: equal questions are equal, none can be guessed.';
