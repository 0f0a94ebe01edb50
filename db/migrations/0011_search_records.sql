-- 0011_search_records
-- why   a search record says how it was searched and what was weighed; the versions of one
--       subject follow each other on one time line; a cached vector belongs to a login and a model
-- lock  access exclusive on search.record, corpus.version, corpus.chunk_fact and
--       embedding.query_cache, for as long as the two updates below take
-- undo  drop the views, search.hash_key, the type, the columns and the four settings
set local lock_timeout = '2s';
set local statement_timeout = '60s';

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.record_days', 'integer', '90', 1, 3650, null, 'days',
        'How long it is kept what each search returned.'),
    ('kb.coverage_miss_days', 'integer', '365', 30, 3650, null, 'days',
        'How long the audit keeps that an authority had no hit of its own.'),
    ('kb.record_questions', 'boolean', 'off', null, null, null, '',
        'Whether records hold the question itself: people name children and illnesses in it, and every admin reads it until kb.record_days are over.'),
    ('kb.fold_after', 'integer', '200', 1, 1000000, null, 'statements',
        'How many changes of the text index may wait before a publisher folds the statistics itself.');

-- what a search record knows

create type search.candidate_count as (
    candidates integer,
    vector_candidates integer,
    keyword_candidates integer,
    kept integer,
    attempts integer,
    topic_fallback_used boolean,
    no_la_broad_fallback_used boolean
);
comment on type search.candidate_count is
'How many candidates a search had before and after the floor, and what it tried, told also when nothing is left.';
comment on column search.candidate_count.candidates is 'Chunks that either leg found, before the floor.';
comment on column search.candidate_count.vector_candidates is 'Of them, chunks of the vector leg.';
comment on column search.candidate_count.keyword_candidates is 'Of them, chunks of the keyword leg.';
comment on column search.candidate_count.kept is 'Candidates the floor kept, before assembly.';
comment on column search.candidate_count.attempts is 'How often it searched: 1 is as asked.';
comment on column search.candidate_count.topic_fallback_used is 'The last attempt left the tags out.';
comment on column search.candidate_count.no_la_broad_fallback_used is
'The last attempt searched all areas.';

create type search.finding as (
    results public.search_result[], -- noqa: LT01
    counts search.candidate_count,
    plan text,
    timings jsonb
);
comment on type search.finding is
'An answer with the counts from before the floor, and the flags also where the answer is empty.';
comment on column search.finding.results is 'The rows of search_kb, best first.';
comment on column search.finding.counts is 'What search.record_search wants to know beside them.';
comment on column search.finding.plan is
'How the vector leg read the scopes: exact, index, index topped up, or several of them.';
comment on column search.finding.timings is 'Milliseconds by step, over all attempts.';

-- of the older signature; a deploy makes the new one in the same transaction
-- squawk-ignore ban-drop-function
drop function if exists search.record_search(
    public.search_result [], text, text, text, text [], jsonb -- noqa: LT01
);

alter table search.record
add column mode text,
add column embedding_set text,
add column candidate_count integer,
add column vector_candidate_count integer,
add column keyword_candidate_count integer,
add column kept_count integer,
add column attempts integer,
add column total_ms double precision,
add column question_hash bytea,
add column question text,
-- squawk-ignore constraint-missing-not-valid
add constraint record_mode_is_known
check (mode in ('hybrid', 'vector_only', 'keyword_only', 'none'));
comment on table search.record is
'What each search returned, in numbers; the question itself only where kb.record_questions says so.';
comment on column search.record.mode is
'Legs that were asked: hybrid, vector_only, keyword_only or none; NULL when the caller did not say.';
comment on column search.record.embedding_set is 'The embedding set that was searched.';
comment on column search.record.candidate_count is
'Chunks that either leg found, before the floor; NULL when the caller did not say.';
comment on column search.record.vector_candidate_count is 'Of them, chunks of the vector leg.';
comment on column search.record.keyword_candidate_count is 'Of them, chunks of the keyword leg.';
comment on column search.record.kept_count is 'Candidates the floor kept, before assembly.';
comment on column search.record.attempts is 'How often it searched: 1 is as asked.';
comment on column search.record.total_ms is 'Milliseconds from question to result.';
comment on column search.record.question_hash is
'Fingerprint of the folded question under this database''s own key: equal questions can be counted, not read.';
comment on column search.record.question is
'The folded question, only where kb.record_questions was on; NULL otherwise.';

create table search.hash_key (
    only_one boolean not null default true,
    key bytea not null,
    constraint hash_key_pk primary key (only_one),
    constraint hash_key_is_the_only_one check (only_one),
    constraint hash_key_is_long check (octet_length(key) = 32)
);
comment on table search.hash_key is
'The key under which questions are fingerprinted; for the owner alone, so that nobody who reads records can test a guess.';
comment on column search.hash_key.only_one is 'Always true: there is one key.';
comment on column search.hash_key.key is 'Random; a new one makes older fingerprints strangers.';
insert into search.hash_key (key)
values (sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
));

create view search.slowest_search as
select
    r.record_id,
    r.at,
    r.total_ms,
    r.timings,
    r.mode,
    r.embedding_set,
    r.la_code,
    r.topics,
    r.attempts,
    r.candidate_count,
    r.result_count
from search.record as r
where r.total_ms is not null
order by r.total_ms desc, r.record_id asc
limit 50;
comment on view search.slowest_search is 'The fifty slowest searches among the records kept.';
comment on column search.slowest_search.record_id is 'The record.';
comment on column search.slowest_search.at is 'When.';
comment on column search.slowest_search.total_ms is 'Milliseconds from question to result.';
comment on column search.slowest_search.timings is 'Milliseconds by step.';
comment on column search.slowest_search.mode is 'hybrid, vector_only, keyword_only or none.';
comment on column search.slowest_search.embedding_set is 'The embedding set that was searched.';
comment on column search.slowest_search.la_code is 'Authority asked about.';
comment on column search.slowest_search.topics is 'Topics of the question.';
comment on column search.slowest_search.attempts is 'How often it searched.';
comment on column search.slowest_search.candidate_count is 'Chunks that either leg found.';
comment on column search.slowest_search.result_count is 'Chunks returned.';

create view search.unanswered_question as
select
    r.question_hash,
    r.la_code,
    a.name as la_name,
    r.topics,
    max(r.question) as question,
    count(*) as searches,
    max(r.at) as last_at
from search.record as r
left join place.authority as a on r.la_code = a.gss
where r.result_count = 0
group by r.question_hash, r.la_code, a.name, r.topics;
comment on view search.unanswered_question is
'Questions that returned nothing, by fingerprint, authority and topics, among the records kept.';
comment on column search.unanswered_question.question_hash is
'Fingerprint of the question; NULL when the caller gave none.';
comment on column search.unanswered_question.la_code is 'Authority asked about.';
comment on column search.unanswered_question.la_name is 'Its name.';
comment on column search.unanswered_question.topics is 'Topics of the question.';
comment on column search.unanswered_question.question is
'The question, only where kb.record_questions was on.';
comment on column search.unanswered_question.searches is 'How often it was asked in vain.';
comment on column search.unanswered_question.last_at is 'When last.';

create view search.coverage_miss as
select
    e.subject as la_code,
    a.name as la_name,
    t.topic,
    count(*) as misses,
    count(*) filter (where e.detail ->> 'results' = '0') as unanswered,
    max(e.at) as last_at
from audit.event as e
left join place.authority as a on e.subject = a.gss
left join lateral jsonb_array_elements_text(e.detail -> 'topics') as t (topic) on true
where e.kind = 'la_coverage_miss'
group by e.subject, a.name, t.topic;
comment on view search.coverage_miss is
'Authorities whose questions found nothing of their own, by topic; a question of two topics counts in both.';
comment on column search.coverage_miss.la_code is 'The authority.';
comment on column search.coverage_miss.la_name is 'Its name.';
comment on column search.coverage_miss.topic is 'Topic of the question; NULL when it had none.';
comment on column search.coverage_miss.misses is 'How often.';
comment on column search.coverage_miss.unanswered is 'How often there was nothing from elsewhere either.';
comment on column search.coverage_miss.last_at is 'When last.';

-- what a chunk was before another took over

alter table corpus.chunk_fact add column status_before text;
comment on column corpus.chunk_fact.status_before is
'What a superseded chunk was when it was superseded, pending or approved: as_of asks for it. NULL of any other.';
-- nobody noted it: what was not known to be approved counts as pending
update corpus.chunk_fact set status_before = 'pending'
where status = 'superseded';
alter table corpus.chunk_fact
-- squawk-ignore constraint-missing-not-valid
add constraint chunk_fact_superseded_had_a_status check (
    (status = 'superseded') = (status_before is not null)
    and (status_before is null or status_before in ('pending', 'approved'))
);

-- the time line of versions

alter table corpus.version add column withdrawn_on date;
comment on column corpus.version.withdrawn_on is
'The day its source stopped saying it and said what another source says; NULL when a version of its own document or title took over.';
comment on column corpus.version.valid_to is
'First day it was no longer in force, see corpus.lay_timeline; NULL is still.';
-- rivals are looked up by title among the superseded too
-- squawk-ignore require-concurrent-index-deletion
drop index corpus.version_title_key_idx;
-- squawk-ignore require-concurrent-index-creation
create index version_title_key_idx on corpus.version (title_key)
where state in ('published', 'superseded');
-- until now a search found the end of a version that another came late after
update corpus.version as v
set valid_to = n.valid_from
from (
    select
        o.version_id,
        lead(o.valid_from) over (
            partition by o.document_id order by o.valid_from, o.version
        ) as valid_from
    from corpus.version as o
    where o.state in ('published', 'superseded')
) as n
where v.version_id = n.version_id and v.state = 'superseded' and v.valid_to > n.valid_from;

-- cached vectors can be made again

-- squawk-ignore ban-drop-table
drop table embedding.query_cache;
create table embedding.query_cache (
    login text not null default session_user,
    viewer text not null,
    question_hash bytea not null,
    set_id integer not null,
    model text not null,
    expansion_revision bigint not null,
    embedding halfvec not null,
    expires_at timestamptz not null,
    constraint query_cache_pk
    primary key (login, viewer, question_hash, set_id, model, expansion_revision),
    constraint query_cache_set_fk
    foreign key (set_id) references embedding.set (set_id) on delete cascade
);
comment on table embedding.query_cache is
'Vectors of questions asked before, per login and viewer; the question itself is not kept, only its SHA-256.';
comment on column embedding.query_cache.login is 'The login that asked; the viewers of another are strangers.';
comment on column embedding.query_cache.viewer is 'Whose question; nobody else is answered from it.';
comment on column embedding.query_cache.question_hash is 'SHA-256 of the folded question.';
comment on column embedding.query_cache.set_id is 'The set, so width is part of the key.';
comment on column embedding.query_cache.model is 'The model that made it: a set may be given another.';
comment on column embedding.query_cache.expansion_revision is 'Revision of the loaded synonyms.';
comment on column embedding.query_cache.embedding is 'The vector.';
comment on column embedding.query_cache.expires_at is 'Not used after this instant.';
create index query_cache_expires_idx on embedding.query_cache (expires_at);
