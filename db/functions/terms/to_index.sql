-- terms.to_index
-- The lexemes of a text, stemmed, with its identifier tokens; the same for documents and questions.
--
-- called by  corpus.index_version, terms.build_tsquery, search.keyword_pool_as_of
-- raises     ST002 unusable kb.text_config

create or replace function terms.to_index(content text)
returns tsvector
language sql
stable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        to_tsvector(config.value('kb.text_config')::regconfig, terms.prepare_text(f.folded))
        || array_to_tsvector(terms.identifiers(f.folded))
    from (
        -- past this a tsvector could outgrow its limit of 1 MB; chunks are far shorter
        -- (twice: folding makes up to 18 characters of one)
        select left(terms.fold_text(left(to_index.content, 100000)), 100000) as folded
        -- kept apart, or folding would be inlined and done once for each use
        offset 0
    ) as f;
$func$;

comment on function terms.to_index is
'The lexemes of a text, stemmed, with its identifier tokens; the same for documents and questions.';
