-- 0008_scoped_postings
-- why   a word's postings are read for the visible scopes alone: the index holds the scope beside the words
-- lock  search.text_index against writes while the index is built (a minute for 451,000 chunks)
-- undo  drop index search.text_index_scoped_idx; drop function search.scoped_lexemes;
--       create index text_index_lexemes_idx ...
-- definition needs search.scoped_lexemes, which the index is made of
set local lock_timeout = '2s';
set local statement_timeout = '10min';

create function search.scoped_lexemes(lexemes tsvector, scope_id bigint)
returns tsvector
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- no text has a word with @ or ^ in it: the parser breaks it there
    select scoped_lexemes.lexemes || array_to_tsvector(
        array['@' || scoped_lexemes.scope_id] || array(
            select '^' || u.lexeme
            from unnest(scoped_lexemes.lexemes) as u
            where cardinality(u.positions) >= 3
        )
    );
$func$;
comment on function search.scoped_lexemes is
'What the text index is made of: the lexemes of a chunk, its scope (@), and once more (^) the lexemes that it holds three times or oftener, so that of a word too common to read whole the best chunks can be read.';

-- in the one transaction of the deploy: without either index a search would read every chunk
-- squawk-ignore require-concurrent-index-deletion
drop index search.text_index_lexemes_idx;
-- squawk-ignore require-concurrent-index-creation
create index text_index_scoped_idx on search.text_index
using gin (search.scoped_lexemes(lexemes, scope_id)) with (fastupdate = off);

create type search.bm25 as (
    k1 double precision,
    b double precision,
    chunks double precision,
    mean_length double precision,
    expansion_weight double precision,
    rare_chunks double precision
);
comment on type search.bm25 is 'What BM25 needs to know beside a text and the words: its settings and the size of the corpus.';
comment on column search.bm25.k1 is 'Saturation of the term frequency.';
comment on column search.bm25.b is 'How much the length of a text counts, 0 to 1.';
comment on column search.bm25.chunks is 'Chunks of the whole corpus, at least 1.';
comment on column search.bm25.mean_length is 'Their mean length in tokens, at least 1.';
comment on column search.bm25.expansion_weight is 'Weight of a word a synonym brought, against one the person typed.';
comment on column search.bm25.rare_chunks is 'A word that at most this many chunks hold is rare.';
