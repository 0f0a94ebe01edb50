-- 0038_list_idf
-- why   a posting list says with which idf it was made: a word that has become rarer or commoner since
--       is weighed by the difference, and a scope is listed again when texts have become longer or
--       shorter (docs/decisions/0031)
-- lock  access exclusive on search.posting_list, for an instant; searches read the index until
--       upkeep has listed the scopes anew
-- undo  alter table search.posting_list drop column idf;
--       alter table search.listed_scope drop column mean_length
set local lock_timeout = '2s';
set local statement_timeout = '60s';

-- made anew by upkeep
truncate search.posting_list;
delete from search.listed_scope;

-- squawk-ignore adding-required-field
alter table search.posting_list add column idf double precision not null;
comment on column search.posting_list.idf is 'The idf of the word that is in the scores.';
comment on column search.posting_list.scores is
'For every chunk of the block that holds the word what it adds to the BM25 score, with this idf and the mean length of that time.';

-- squawk-ignore adding-required-field
alter table search.listed_scope add column mean_length double precision not null;
comment on column search.listed_scope.mean_length is
'The mean length of the texts of the corpus that is in the scores, in tokens.';
