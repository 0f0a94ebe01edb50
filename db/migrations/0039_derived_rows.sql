-- 0039_derived_rows
-- why   posting lists are made anew when k1 or b of BM25 changes
-- lock  access exclusive on search.listed_scope, for an instant
-- undo  alter table search.listed_scope drop column k1, drop column b
set local lock_timeout = '2s';
set local statement_timeout = '60s';

-- of what is listed it is not known: NULL, and upkeep lists it anew
alter table search.listed_scope
add column k1 double precision,
add column b double precision;
comment on column search.listed_scope.k1 is
'The kb.bm25_k1 that is in the scores; NULL when it was listed before this was kept.';
comment on column search.listed_scope.b is
'The kb.bm25_b that is in the scores; NULL when it was listed before this was kept.';
comment on column search.posting_list.scores is
'For every chunk of the block that holds the word what it adds to the BM25 score, with this idf and what search.listed_scope says of the scope.';
