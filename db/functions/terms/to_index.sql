-- terms.to_index
-- The lexemes of a text, stemmed, with its identifier tokens; the same for documents and questions.
--
-- called by  corpus.index_versions, terms.build_tsquery, search.keyword_pool_as_of
-- raises     ST002 unusable kb.text_config

create or replace function terms.to_index(content text)
returns tsvector
language plpgsql
stable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    -- past this a tsvector could outgrow its limit of 1 MB; chunks are far shorter
    -- (twice: folding makes up to 18 characters of one)
    _folded text := left(terms.fold_text(left(to_index.content, 100000)), 100000);
    _words tsvector := to_tsvector(
        config.value('kb.text_config')::regconfig, terms.prepare_text(_folded)
    );
    _identifiers text[] := terms.identifiers(_folded);
begin
    return case
        when cardinality(_identifiers) = 0 then _words
        else _words || array_to_tsvector(_identifiers)
    end;
end;
$func$;

comment on function terms.to_index is
'The lexemes of a text, stemmed, with its identifier tokens; the same for documents and questions.';
