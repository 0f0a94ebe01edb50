-- 0013_eval
-- why   whether the search got better or worse is a question for judged questions, not for opinions
-- lock  none that matters (new objects)
-- undo  drop schema eval cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema eval;
comment on schema eval is 'Judged questions, what the search answered to them, and how good that was.';

create table eval.question_set (
    question_set_id integer generated always as identity,
    name text not null,
    digest bytea not null,
    loaded_at timestamptz not null default now(),
    constraint question_set_pk primary key (question_set_id),
    constraint question_set_name_once unique (name)
);
comment on table eval.question_set is 'A set of judged questions over one corpus.';
comment on column eval.question_set.question_set_id is 'Key.';
comment on column eval.question_set.name is 'Name people use, e.g. send or scifact.';
comment on column eval.question_set.digest is
'SHA-256 of questions and judgements: figures are only compared between equal ones.';
comment on column eval.question_set.loaded_at is 'When these questions were loaded.';

create table eval.document (
    question_set_id integer not null,
    document_key text not null,
    document_id bigint not null,
    constraint document_pk primary key (question_set_id, document_key),
    constraint document_set_fk
    foreign key (question_set_id) references eval.question_set (question_set_id) on delete cascade,
    constraint document_corpus_fk
    foreign key (document_id) references corpus.document (document_id) on delete cascade
);
create index document_corpus_idx on eval.document (document_id);
comment on table eval.document is
'Which stored document a judgement''s name means; texts that are there twice share a document.';
comment on column eval.document.question_set_id is 'The set.';
comment on column eval.document.document_key is 'Name in the judgements.';
comment on column eval.document.document_id is 'The stored document.';

create table eval.question (
    question_id bigint generated always as identity,
    question_set_id integer not null,
    question_key text not null,
    kind text not null,
    split text not null,
    question text not null,
    la text,
    home_la text,
    urn text,
    tags text[],
    as_of date,
    note text not null default '',
    constraint question_pk primary key (question_id),
    constraint question_once_per_set unique (question_set_id, question_key),
    constraint question_set_fk
    foreign key (question_set_id) references eval.question_set (question_set_id) on delete cascade,
    constraint question_split_is_known check (split in ('tune', 'held-out')),
    constraint question_has_words check (question ~ '\S')
);
comment on table eval.question is 'A judged question, and for whom it is asked. Written by authors, never by users.';
comment on column eval.question.question_id is 'Key.';
comment on column eval.question.question_set_id is 'The set.';
comment on column eval.question.question_key is 'Name of the question within its set.';
comment on column eval.question.kind is 'What it tests, e.g. la-bias or no-answer.';
comment on column eval.question.split is 'tune: settings may be chosen by it; held-out: only reported.';
comment on column eval.question.question is 'The words.';
comment on column eval.question.la is 'Argument la of search_kb.';
comment on column eval.question.home_la is 'Argument home_la.';
comment on column eval.question.urn is 'Argument urn.';
comment on column eval.question.tags is 'Argument tags.';
comment on column eval.question.as_of is 'Argument as_of.';
comment on column eval.question.note is 'Why it is judged so.';

create table eval.judgement (
    question_id bigint not null,
    document_key text not null,
    grade integer not null,
    forbidden boolean not null default false,
    constraint judgement_pk primary key (question_id, document_key),
    constraint judgement_question_fk
    foreign key (question_id) references eval.question (question_id) on delete cascade,
    constraint judgement_grade_is_mild check (grade between 0 and 100),
    constraint judgement_forbidden_is_not_relevant check (not forbidden or grade = 0)
);
comment on table eval.judgement is 'How relevant a document is to a question.';
comment on column eval.judgement.question_id is 'The question.';
comment on column eval.judgement.document_key is 'Name of the document.';
comment on column eval.judgement.grade is '0 is judged and not relevant; more is better.';
comment on column eval.judgement.forbidden is
'Must never be in the answer: another area''s, superseded, not for this reader.';

create view eval.verdict as
select
    j.question_id,
    coalesce(n.document_key, j.document_key) as document_key,
    max(j.grade) as grade,
    bool_or(j.forbidden) as forbidden
from eval.judgement as j
inner join eval.question as q on j.question_id = q.question_id
left join eval.document as d
    on q.question_set_id = d.question_set_id and j.document_key = d.document_key
left join lateral (
    select min(t.document_key) as document_key
    from eval.document as t
    where t.question_set_id = d.question_set_id and t.document_id = d.document_id
) as n on true
group by j.question_id, coalesce(n.document_key, j.document_key);
comment on view eval.verdict is
'Judgements with one name per stored document: of names that share a text the first, with the best grade.';
comment on column eval.verdict.question_id is 'The question.';
comment on column eval.verdict.document_key is 'Name of the document.';
comment on column eval.verdict.grade is 'How relevant it is.';
comment on column eval.verdict.forbidden is 'Whether it must never be shown.';

create table eval.question_vector (
    question_id bigint not null,
    set_id integer not null,
    embedding halfvec not null,
    constraint question_vector_pk primary key (question_id, set_id),
    constraint question_vector_question_fk
    foreign key (question_id) references eval.question (question_id) on delete cascade,
    constraint question_vector_set_fk
    foreign key (set_id) references embedding.set (set_id) on delete cascade
);
create index question_vector_set_idx on eval.question_vector (set_id);
comment on table eval.question_vector is 'Vectors of judged questions, per embedding set.';
comment on column eval.question_vector.question_id is 'The question.';
comment on column eval.question_vector.set_id is 'The embedding set.';
comment on column eval.question_vector.embedding is 'The vector.';

create table eval.run (
    run_id bigint generated always as identity,
    at timestamptz not null default now(),
    set_name text not null,
    set_digest bytea not null,
    mode text not null,
    settings jsonb not null default '{}',
    constraint run_pk primary key (run_id),
    constraint run_mode_is_known check (mode in ('vector', 'keyword', 'hybrid'))
);
create index run_set_idx on eval.run (set_name, run_id);
comment on table eval.run is 'One pass over the questions of a set. Holds names, not keys: it outlives the corpus it ran on.';
comment on column eval.run.run_id is 'Key.';
comment on column eval.run.at is 'When it started.';
comment on column eval.run.set_name is 'Name of the set.';
comment on column eval.run.set_digest is 'Digest of the set as it was then.';
comment on column eval.run.mode is 'vector or keyword: that leg alone; hybrid: both.';
comment on column eval.run.settings is 'Settings kb.* that were changed for the run.';

create table eval.outcome (
    run_id bigint not null,
    question_key text not null,
    kind text not null,
    split text not null,
    documents text[] not null,
    milliseconds double precision not null,
    ndcg_10 double precision,
    recall_8 double precision,
    recall_50 double precision,
    reciprocal_rank double precision,
    nothing_was_right boolean,
    forbidden_shown integer not null,
    constraint outcome_pk primary key (run_id, question_key),
    constraint outcome_run_fk
    foreign key (run_id) references eval.run (run_id) on delete cascade
);
comment on table eval.outcome is 'What a run answered to a question and how good that was; the question''s words are not in it.';
comment on column eval.outcome.run_id is 'The run.';
comment on column eval.outcome.question_key is 'Name of the question.';
comment on column eval.outcome.kind is 'Kind of the question.';
comment on column eval.outcome.split is 'Split of the question.';
comment on column eval.outcome.documents is 'Names of the documents in the answer, best first.';
comment on column eval.outcome.milliseconds is 'How long the search took.';
comment on column eval.outcome.ndcg_10 is 'eval.ndcg to depth 10; NULL where nothing is relevant, as the next three.';
comment on column eval.outcome.recall_8 is 'Share of the relevant documents among the first 8.';
comment on column eval.outcome.recall_50 is 'Share of the relevant documents among the first 50.';
comment on column eval.outcome.reciprocal_rank is 'One over the rank of the first relevant document.';
comment on column eval.outcome.nothing_was_right is
'Where nothing is relevant: whether nothing was shown; NULL elsewhere.';
comment on column eval.outcome.forbidden_shown is 'Forbidden documents in the answer; must be 0.';

create view eval.figure as
select
    o.run_id,
    coalesce(o.kind, 'all') as kind,
    count(*) as questions,
    avg(o.ndcg_10) as ndcg_10,
    avg(o.recall_8) as recall_8,
    avg(o.recall_50) as recall_50,
    avg(o.reciprocal_rank) as mrr,
    avg(o.nothing_was_right::integer)::double precision as right_none,
    sum(o.forbidden_shown) as forbidden_shown,
    percentile_cont(0.5) within group (order by o.milliseconds) as median_ms
from eval.outcome as o
group by grouping sets ((o.run_id), (o.run_id, o.kind));
comment on view eval.figure is 'Means of a run over its questions, and over those of each kind.';
comment on column eval.figure.run_id is 'The run.';
comment on column eval.figure.kind is 'Kind of question; all is every kind.';
comment on column eval.figure.questions is 'How many questions.';
comment on column eval.figure.ndcg_10 is 'Mean nDCG@10 over the questions to which something is relevant.';
comment on column eval.figure.recall_8 is 'Mean recall@8.';
comment on column eval.figure.recall_50 is 'Mean recall@50.';
comment on column eval.figure.mrr is 'Mean reciprocal rank.';
comment on column eval.figure.right_none is
'Share of the questions without a relevant document that were answered with nothing.';
comment on column eval.figure.forbidden_shown is 'Forbidden documents shown, in all.';
comment on column eval.figure.median_ms is 'Median time of a search.';

create table eval.pool (
    question_id bigint not null,
    vector_hits search.vector_hit[] not null, -- noqa: LT01
    keyword_hits search.keyword_hit[] not null, -- noqa: LT01
    constraint pool_pk primary key (question_id),
    constraint pool_question_fk
    foreign key (question_id) references eval.question (question_id) on delete cascade
);
comment on table eval.pool is 'Both legs of a question at their full depth, so that fusion can be tried again and again.';
comment on column eval.pool.question_id is 'The question.';
comment on column eval.pool.vector_hits is 'The vector leg, best first.';
comment on column eval.pool.keyword_hits is 'The keyword leg, best first.';

create table eval.pool_chunk (
    question_id bigint not null,
    chunk_id bigint not null,
    document_key text not null,
    worth double precision not null,
    constraint pool_chunk_pk primary key (question_id, chunk_id),
    constraint pool_chunk_pool_fk
    foreign key (question_id) references eval.pool (question_id) on delete cascade
);
comment on table eval.pool_chunk is 'What fusion does not decide about a pooled chunk. Chunks under the floor are not there.';
comment on column eval.pool_chunk.question_id is 'The question.';
comment on column eval.pool_chunk.chunk_id is 'The chunk.';
comment on column eval.pool_chunk.document_key is 'Name of its document.';
comment on column eval.pool_chunk.worth is 'Product of its weights after fusion.';
