-- 0030_chat
-- why   a follow-up needs what was asked before it, an answer must say on what it rested, and a
--       domain speaks its own words
-- lock  none that matters (new objects; share row exclusive on account.person and account.child
--       for a moment)
-- undo  drop schema chat cascade; delete from config.setting where name = 'kb.conversation_days';
set local lock_timeout = '2s';
set local statement_timeout = '60s';

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.conversation_days', 'integer', '90', 1, 3650, null, 'days',
        'How long a conversation is kept after its last question.');

create schema chat;
comment on schema chat is 'Conversations: what was asked and answered, and on what it rested.';

create table chat.wording (
    pack text primary key,
    system_prompt text not null,
    no_area_disclaimer text not null,
    not_found text not null,
    constraint wording_pack_fk foreign key (pack) references terms.pack (pack) on delete cascade,
    constraint wording_not_blank check (
        system_prompt ~ '\S' and no_area_disclaimer ~ '\S' and not_found ~ '\S'
    )
);
comment on table chat.wording is 'What a chat says in the domain of a pack.';
comment on column chat.wording.pack is 'The pack whose words these are.';
comment on column chat.wording.system_prompt is 'What the model is told before sources and question.';
comment on column chat.wording.no_area_disclaimer is
'Said before an answer that drew on every area, as no area was known.';
comment on column chat.wording.not_found is 'Said when nothing that is held answers the question.';

create table chat.conversation (
    conversation_id uuid primary key default gen_random_uuid(),
    person_id uuid,
    child_id uuid,
    started_at timestamptz not null default now(),
    last_turn_at timestamptz not null default now(),
    constraint conversation_person_fk
    foreign key (person_id) references account.person (person_id) on delete cascade,
    constraint conversation_child_fk
    foreign key (child_id) references account.child (child_id) on delete set null
);
comment on table chat.conversation is 'Questions asked after another; each may lean on those before.';
comment on column chat.conversation.conversation_id is
'Not guessable: who has no account goes on with a conversation by knowing it.';
comment on column chat.conversation.person_id is 'Whose it is; NULL when nobody had signed in.';
comment on column chat.conversation.child_id is 'The child it is about, where one was named.';
comment on column chat.conversation.started_at is 'When its first question was asked.';
comment on column chat.conversation.last_turn_at is 'When its last question was asked.';
create index conversation_person_idx
on chat.conversation (person_id, last_turn_at desc, conversation_id)
where person_id is not null;
create index conversation_child_idx on chat.conversation (child_id) where child_id is not null;
create index conversation_last_turn_idx on chat.conversation (last_turn_at);

create table chat.turn (
    turn_id bigint generated always as identity primary key,
    conversation_id uuid not null,
    question text not null,
    standalone text,
    state text not null default 'running',
    answer text,
    answered_by text,
    la_code text,
    home_la_code text,
    school_urn text,
    place_from text not null default 'none',
    asked_at timestamptz not null default now(),
    finished_at timestamptz,
    constraint turn_conversation_fk
    foreign key (conversation_id) references chat.conversation (conversation_id) on delete cascade,
    constraint turn_question_not_blank check (question ~ '\S'),
    constraint turn_question_not_endless check (length(question) <= 4000),
    constraint turn_state_known
    check (state in ('running', 'answered', 'not_found', 'interrupted', 'failed')),
    constraint turn_answered_by_known
    check (answered_by in ('model', 'extractive', 'sources_only')),
    constraint turn_place_from_known
    check (place_from in ('request', 'conversation', 'profile', 'none')),
    constraint turn_finished_with_its_state check ((state = 'running') = (finished_at is null))
);
comment on table chat.turn is
'A question and what was answered. The only place that keeps the text of a question.';
comment on column chat.turn.turn_id is 'Key.';
comment on column chat.turn.conversation_id is 'The conversation it belongs to.';
comment on column chat.turn.question is 'In the words of who asked.';
comment on column chat.turn.standalone is
'What was searched for, where the question alone would not have told; else NULL.';
comment on column chat.turn.state is
'running, then answered, not_found, interrupted (the asker left) or failed.';
comment on column chat.turn.answer is 'What was said; of an interrupted turn what was sent by then.';
comment on column chat.turn.answered_by is
'model, extractive (quoted word for word) or sources_only (nothing could be quoted).';
comment on column chat.turn.la_code is 'The authority it was asked for.';
comment on column chat.turn.home_la_code is 'The home authority it was asked for.';
comment on column chat.turn.school_urn is 'The school it was asked for.';
comment on column chat.turn.place_from is
'Where the place came from: request, conversation (an earlier request of it), profile or none.';
comment on column chat.turn.asked_at is 'When it was asked.';
comment on column chat.turn.finished_at is 'When its state became final.';
create index turn_conversation_idx on chat.turn (conversation_id, turn_id);
create index turn_running_idx on chat.turn (asked_at) where state = 'running';

create table chat.source (
    turn_id bigint,
    number integer,
    chunk_id bigint not null,
    is_cited boolean not null,
    primary key (turn_id, number),
    constraint source_turn_fk
    foreign key (turn_id) references chat.turn (turn_id) on delete cascade,
    constraint source_number_positive check (number > 0)
);
comment on table chat.source is
'The numbered sources of an answer. No foreign key: a passage may go, the turn says what it was.';
comment on column chat.source.turn_id is 'The answer it belongs to.';
comment on column chat.source.number is 'What [number] in the answer points at.';
comment on column chat.source.chunk_id is 'The passage; corpus.chunk has its text.';
comment on column chat.source.is_cited is 'Whether the answer cites it.';

create table chat.trace (
    turn_id bigint primary key,
    model text,
    search_mode text,
    degraded text[] not null default '{}',
    searches integer not null default 0,
    sources integer not null default 0,
    cited integer not null default 0,
    dropped_citations integer not null default 0,
    sentences integer not null default 0,
    unsupported_sentences integer not null default 0,
    prompt_tokens integer,
    completion_tokens integer,
    timings jsonb not null default '{}',
    constraint trace_turn_fk
    foreign key (turn_id) references chat.turn (turn_id) on delete cascade
);
comment on table chat.trace is 'How an answer came about, in numbers and words of ours; no text of people.';
comment on column chat.trace.turn_id is 'The answer.';
comment on column chat.trace.model is 'The model that was asked, also when it failed.';
comment on column chat.trace.search_mode is 'hybrid or keyword_only.';
comment on column chat.trace.degraded is
'What did not work: embedding_failed, model_failed, model_stopped, rewrite_failed, rerank_failed, not_kept.';
comment on column chat.trace.searches is 'How often the corpus was searched: more than once after a rewording.';
comment on column chat.trace.sources is 'Sources the answer could rest on.';
comment on column chat.trace.cited is 'Sources it cites.';
comment on column chat.trace.dropped_citations is 'Marks that pointed at no source and were left out.';
comment on column chat.trace.sentences is 'Sentences that were checked against their sources.';
comment on column chat.trace.unsupported_sentences is 'Sentences their sources do not bear out.';
comment on column chat.trace.prompt_tokens is 'As the model''s service counted them.';
comment on column chat.trace.completion_tokens is 'As the model''s service counted them.';
comment on column chat.trace.timings is 'Milliseconds by step.';
