-- 0019_posting_lists
-- why   a common word's postings in a large scope are read as one list, best first (docs/decisions/0020)
-- lock  none that matters (new objects)
-- undo  drop table search.posting_list, search.listed_scope, search.recent_text; delete the settings
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create table search.posting_list (
    lexeme text collate "C" not null,
    scope_id bigint not null,
    chunk_ids bigint[] not null,
    impacts real[] not null,
    constraint posting_list_pk primary key (lexeme, scope_id),
    constraint posting_list_is_paired check (cardinality(chunk_ids) = cardinality(impacts))
);
comment on table search.posting_list is
'Posting lists of the words that several chunks of a listed scope hold, as of when it was listed; made from search.text_index.';
comment on column search.posting_list.lexeme is 'The lexeme.';
comment on column search.posting_list.scope_id is 'The scope whose chunks these are.';
comment on column search.posting_list.chunk_ids is 'The chunks that hold it, the highest impact first.';
comment on column search.posting_list.impacts is
'What the word adds to the BM25 score of each of them, before its idf, with the mean length of that time.';
-- read whole and never searched in: unpacking would cost more than it saves
alter table search.posting_list
alter column chunk_ids set storage external,
alter column impacts set storage external;

create table search.listed_scope (
    scope_id bigint not null,
    chunks bigint not null,
    listed_at timestamptz not null default now(),
    constraint listed_scope_pk primary key (scope_id),
    constraint listed_scope_scope_fk
    foreign key (scope_id) references corpus.scope (scope_id) on delete cascade
);
comment on table search.listed_scope is 'The scopes that have posting lists.';
comment on column search.listed_scope.scope_id is 'The scope.';
comment on column search.listed_scope.chunks is 'Its searchable chunks when it was listed.';
comment on column search.listed_scope.listed_at is 'When it was listed.';

create table search.recent_text (
    scope_id bigint not null,
    chunk_id bigint not null,
    constraint recent_text_pk primary key (scope_id, chunk_id)
);
comment on table search.recent_text is
'Chunks that came into search.text_index since their scope was listed, if it ever was.';
comment on column search.recent_text.scope_id is 'Their scope.';
comment on column search.recent_text.chunk_id is 'The chunk.';

insert into search.recent_text (scope_id, chunk_id)
select
    t.scope_id,
    t.chunk_id
from search.text_index as t;

insert into config.setting
(name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
('kb.list_scope', 'integer', '500', 1, 100000000, null, 'chunks',
    'A scope of at least so many chunks gets posting lists from upkeep.'),
('kb.list_recent', 'integer', '2000', 0, 1000000, null, 'chunks',
    'With more chunks that came since a scope was listed its lists are passed over until upkeep lists it again.');

-- its arguments are others now
-- squawk-ignore ban-drop-function
drop function if exists search.keyword_pool(
    search.query_word[], search.bm25, bigint[], tsquery, text[], text[], integer, bigint,
    double precision, bigint[]
);
