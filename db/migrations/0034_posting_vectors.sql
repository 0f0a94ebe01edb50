-- 0034_posting_vectors
-- why   a posting list is a sparse vector over the numbered chunks of a scope: pgvector adds lists
--       up, and no row is made for a posting (docs/decisions/0031)
-- lock  access exclusive on search.posting_list, for an instant; searches read the index until
--       upkeep has listed the scopes anew
-- undo  drop table search.posting_list, search.listed_block; drop type search.block_scores; the
--       part of 0019 that makes search.posting_list; alter table search.listed_scope drop column
--       mean_length; delete from search.listed_scope
set local lock_timeout = '2s';
set local statement_timeout = '60s';

-- made anew by upkeep; until then the index is read. The functions of this deploy alone use it
-- squawk-ignore ban-drop-table
drop table search.posting_list;
delete from search.listed_scope;
-- squawk-ignore adding-required-field
alter table search.listed_scope add column mean_length double precision not null;
comment on column search.listed_scope.mean_length is
'The mean length of the texts of the corpus that is in the scores, in tokens.';

create table search.listed_block (
    scope_id bigint not null,
    block integer not null,
    chunk_ids bigint[] not null,
    constraint listed_block_pk primary key (scope_id, block),
    constraint listed_block_scope_fk
    foreign key (scope_id) references search.listed_scope (scope_id) on delete cascade,
    -- public.vector has no more dimensions
    constraint listed_block_fits check (cardinality(chunk_ids) between 1 and 16000)
);
comment on table search.listed_block is
'The chunks of a listed scope by number, in blocks: dimension i of a posting list is the i-th chunk of its block.';
comment on column search.listed_block.scope_id is 'The scope.';
comment on column search.listed_block.block is 'Its blocks are numbered from 0.';
comment on column search.listed_block.chunk_ids is 'The chunks of the block, in ascending order.';
alter table search.listed_block
alter column chunk_ids set storage external;

create table search.posting_list (
    lexeme text collate "C" not null,
    scope_id bigint not null,
    block integer not null,
    idf double precision not null,
    scores public.sparsevec not null,
    constraint posting_list_pk primary key (lexeme, scope_id, block),
    constraint posting_list_block_fk
    foreign key (scope_id, block)
    references search.listed_block (scope_id, block) on delete cascade
);
comment on table search.posting_list is
'Posting lists of the words that several chunks of a listed scope hold, as of when it was listed; made from search.text_index.';
comment on column search.posting_list.lexeme is 'The lexeme.';
comment on column search.posting_list.scope_id is 'The scope whose chunks these are.';
comment on column search.posting_list.block is 'The block of the scope, search.listed_block.';
comment on column search.posting_list.idf is 'The idf of the word that is in the scores.';
comment on column search.posting_list.scores is
'For every chunk of the block that holds the word what it adds to the BM25 score, with this idf and the mean length of that time.';
-- kept short by being sparse; compressed ones would be unpacked for every search
alter table search.posting_list
alter column scores set storage external;

create index posting_list_block_idx on search.posting_list (scope_id, block);

create type search.block_scores as (
    scope_id bigint,
    block integer,
    scores public.vector
);
comment on type search.block_scores is
'BM25 scores of all chunks of a block of a listed scope, by their numbers.';
comment on column search.block_scores.scope_id is 'The scope.';
comment on column search.block_scores.block is 'Its block, search.listed_block.';
comment on column search.block_scores.scores is 'One score a chunk; 0 where it holds none of the words.';

-- squawk-ignore ban-drop-function
drop function if exists search.keyword_pool(
    search.query_word[], search.bm25, search.visible_scope[], text[], text[], integer, bigint
);
