-- 0030_admin
-- why   files are handed in over HTTP and read by workers; documents are validated in runs that
--       anybody can follow; fallbacks of searches are seen by area
-- lock  share row exclusive on corpus.version and corpus.scope for a moment: upload refers to them
-- undo  drop schema validation cascade; drop table intake.upload_file, intake.upload;
--       drop view search.fallback_use;
--       delete from queue.task where kind in ('read_upload', 'validate_batch');
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create table intake.upload (
    upload_id bigint generated always as identity,
    upload_key uuid not null default gen_random_uuid(),
    kind text not null,
    spool_name text not null,
    file_name text not null,
    sha256 bytea not null,
    byte_count bigint not null,
    scope_id bigint not null,
    la_code text,
    school_urn text,
    title text,
    tags text[] not null default '{}',
    authority text,
    document_type text,
    effective_date date,
    handed_in_by text not null,
    created_at timestamptz not null default now(),
    refusal text,
    remark text,
    finished_at timestamptz,
    constraint upload_pk primary key (upload_id),
    constraint upload_once_per_key unique (upload_key),
    constraint upload_once_per_spool unique (spool_name),
    constraint upload_scope_fk foreign key (scope_id) references corpus.scope (scope_id),
    constraint upload_kind_is_known check (kind in ('file', 'archive')),
    constraint upload_hash_is_sha256 check (octet_length(sha256) = 32),
    constraint upload_holds_something check (byte_count > 0),
    constraint upload_spool_is_a_plain_name check (spool_name ~ '^[0-9a-f]{32}$'),
    constraint upload_is_finished_when_refused check (refusal is null or finished_at is not null)
);
comment on table intake.upload is
'A file or an archive that was handed in: its bytes lie in the spool, the task read_upload of its upload_id stands for it. Goes 24 hours after it is done.';
comment on column intake.upload.upload_id is 'Key, and the subject of its task.';
comment on column intake.upload.upload_key is 'What people ask for it by; nobody guesses it.';
comment on column intake.upload.kind is 'file: one document; archive: a ZIP of them.';
comment on column intake.upload.spool_name is 'Where its bytes lie in the spool: a name of our own.';
comment on column intake.upload.file_name is
'The name it was given, fit to be shown and no path; the source of its document.';
comment on column intake.upload.sha256 is 'SHA-256 of its bytes.';
comment on column intake.upload.byte_count is 'How many they are.';
comment on column intake.upload.scope_id is 'Who will see its documents, unless their address says national.';
comment on column intake.upload.la_code is 'The authority its documents belong to.';
comment on column intake.upload.school_urn is 'The school they belong to.';
comment on column intake.upload.title is 'The title that was stated; NULL takes the document''s own.';
comment on column intake.upload.tags is 'Topic slugs its documents get.';
comment on column intake.upload.authority is 'Kind of publisher.';
comment on column intake.upload.document_type is 'What it is, e.g. policy.';
comment on column intake.upload.effective_date is 'The day it says it applies from.';
comment on column intake.upload.handed_in_by is 'Who handed it in.';
comment on column intake.upload.created_at is 'When.';
comment on column intake.upload.refusal is 'Why nothing of it was taken.';
comment on column intake.upload.remark is 'What an archive held.';
comment on column intake.upload.finished_at is 'When all of it was read.';
create index upload_sha256_idx on intake.upload (sha256);
create index upload_created_idx on intake.upload (created_at);
create index upload_scope_idx on intake.upload (scope_id);

create table intake.upload_file (
    upload_id bigint not null,
    position integer not null,
    name text not null,
    outcome text not null,
    reason text,
    title text,
    version_id bigint,
    existing_source text,
    read_at timestamptz not null default now(),
    constraint upload_file_pk primary key (upload_id, position),
    constraint upload_file_upload_fk
    foreign key (upload_id) references intake.upload (upload_id) on delete cascade,
    constraint upload_file_version_fk
    foreign key (version_id) references corpus.version (version_id) on delete set null,
    constraint upload_file_outcome_is_known
    check (outcome in ('staged', 'unchanged', 'updated', 'duplicate', 'refused'))
);
comment on table intake.upload_file is
'A file of an upload that was read, and what became of it; the row is written in one step with its text.';
comment on column intake.upload_file.upload_id is 'Its upload.';
comment on column intake.upload_file.position is 'Its place in the archive, from 1.';
comment on column intake.upload_file.name is 'Its name; in an archive with the folders above it.';
comment on column intake.upload_file.outcome is
'staged: a new text, to be published; unchanged, updated, duplicate: it is there already; refused: it never will be.';
comment on column intake.upload_file.reason is 'Why it was refused.';
comment on column intake.upload_file.title is 'Title of its document.';
comment on column intake.upload_file.version_id is 'Its text; NULL when that was discarded.';
comment on column intake.upload_file.existing_source is 'The source a duplicate is the same as.';
comment on column intake.upload_file.read_at is 'When.';
create index upload_file_version_idx on intake.upload_file (version_id);

create schema validation;
comment on schema validation is
'Runs that judge documents by what the database knows of them, and every verdict with its reasons.';

create table validation.run (
    run_id bigint generated always as identity,
    dry_run boolean not null,
    la_code text,
    threshold double precision not null,
    batches integer not null default 0,
    documents integer not null default 0,
    requested_by text not null,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    constraint run_pk primary key (run_id),
    constraint run_threshold_is_a_share check (threshold between 0 and 1)
);
comment on table validation.run is
'One asking to judge what nobody has decided on: at most five of its batches are in the queue at a time.';
comment on column validation.run.run_id is 'Key.';
comment on column validation.run.dry_run is 'Only verdicts, no decisions.';
comment on column validation.run.la_code is 'Only documents of this authority; NULL is all.';
comment on column validation.run.threshold is 'Confidence from which a document is approved; below it is flagged.';
comment on column validation.run.batches is 'Into how many batches its documents were cut.';
comment on column validation.run.documents is 'How many documents nobody had decided on.';
comment on column validation.run.requested_by is 'Who asked for it.';
comment on column validation.run.created_at is 'When.';
comment on column validation.run.finished_at is 'When its last batch was judged.';

create table validation.batch (
    batch_id bigint generated always as identity,
    run_id bigint not null,
    position integer not null,
    document_ids bigint[] not null,
    judged_at timestamptz,
    constraint batch_pk primary key (batch_id),
    constraint batch_once_per_position unique (run_id, position),
    constraint batch_run_fk
    foreign key (run_id) references validation.run (run_id) on delete cascade,
    constraint batch_is_not_too_large check (cardinality(document_ids) between 1 and 50)
);
comment on table validation.batch is
'Documents of a run that are judged together; the task validate_batch of its batch_id stands for it.';
comment on column validation.batch.batch_id is 'Key, and the subject of its task.';
comment on column validation.batch.run_id is 'Its run.';
comment on column validation.batch.position is 'Its place in the run, from 1.';
comment on column validation.batch.document_ids is 'Its documents, up to 50.';
comment on column validation.batch.judged_at is 'When it was judged, all of it at once.';

create table validation.verdict (
    run_id bigint not null,
    document_id bigint not null,
    version_id bigint,
    verdict text not null,
    confidence double precision,
    parts jsonb not null default '[]',
    changed integer not null default 0,
    reason text not null,
    judged_at timestamptz not null default now(),
    constraint verdict_pk primary key (run_id, document_id),
    constraint verdict_run_fk
    foreign key (run_id) references validation.run (run_id) on delete cascade,
    constraint verdict_document_fk
    foreign key (document_id) references corpus.document (document_id) on delete cascade,
    constraint verdict_is_known check (verdict in ('approve', 'flag', 'leave')),
    constraint verdict_confidence_is_a_share check (confidence between 0 and 1)
);
comment on table validation.verdict is
'What a run came to for a document, and why. Whoever judges by other means writes here as well.';
comment on column validation.verdict.run_id is 'The run.';
comment on column validation.verdict.document_id is 'The document.';
comment on column validation.verdict.version_id is
'The version that was judged; NULL when none was published any more.';
comment on column validation.verdict.verdict is 'approve, flag, or leave: nothing of it was to be decided.';
comment on column validation.verdict.confidence is 'The product of its parts; NULL where it was left.';
comment on column validation.verdict.parts is
'An object for each part: part, score from 0 to 1, explanation; see validation.weigh_version.';
comment on column validation.verdict.changed is 'Passages that were decided on; none in a dry run.';
comment on column validation.verdict.reason is 'The verdict in a sentence.';
comment on column validation.verdict.judged_at is 'When.';
create index verdict_document_idx on validation.verdict (document_id);

create view search.fallback_use as
select
    r.la_code,
    a.name as la_name,
    count(*) as searches,
    count(*) filter (where r.topic_fallback_used) as without_topics,
    count(*) filter (where r.no_la_broad_fallback_used) as all_areas,
    count(*) filter (where r.mode = 'keyword_only') as keyword_only,
    count(*) filter (where r.result_count = 0) as unanswered,
    max(r.at) as last_at
from search.record as r
left join place.authority as a on r.la_code = a.gss
group by r.la_code, a.name;
comment on view search.fallback_use is
'How often searches of an area had to do with less, among the records kept.';
comment on column search.fallback_use.la_code is 'Authority asked about; NULL when none was known.';
comment on column search.fallback_use.la_name is 'Its name.';
comment on column search.fallback_use.searches is 'How many searches.';
comment on column search.fallback_use.without_topics is 'Those that had to leave the topics out.';
comment on column search.fallback_use.all_areas is 'Those that had to look in all areas.';
comment on column search.fallback_use.keyword_only is 'Those that had no vector to go by.';
comment on column search.fallback_use.unanswered is 'Those that found nothing.';
comment on column search.fallback_use.last_at is 'When the last was.';
