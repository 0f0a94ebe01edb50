-- 0025_intake
-- why   many addresses are handed in at once, and whoever did so asks later what became of each;
--       a site may say how long to wait, so queue.fail_task takes that too
-- lock  share row exclusive on corpus.version for a moment: page refers to it
-- undo  drop schema intake cascade; delete from queue.task where kind = 'fetch_page';
--       drop function queue.fail_task(bigint, uuid, text, boolean, interval);
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema intake;
comment on schema intake is 'Addresses handed in to be fetched, and what became of each.';

create table intake.batch (
    batch_id uuid not null default gen_random_uuid(),
    la_code text,
    school_urn text,
    owner text,
    principals text[],
    tags text[] not null default '{}',
    authority text,
    document_type text,
    created_at timestamptz not null default now(),
    constraint batch_pk primary key (batch_id)
);
comment on table intake.batch is
'Addresses that were handed in together; goes 24 hours after the last of them is done.';
comment on column intake.batch.batch_id is 'Key; nobody guesses it.';
comment on column intake.batch.la_code is 'The authority its documents belong to, as it was given.';
comment on column intake.batch.school_urn is 'The school they belong to.';
comment on column intake.batch.owner is 'The principal they are private to.';
comment on column intake.batch.principals is 'Whom the owner shares them with.';
comment on column intake.batch.tags is 'Topic slugs they get.';
comment on column intake.batch.authority is 'Kind of publisher.';
comment on column intake.batch.document_type is 'What they are, e.g. policy.';
comment on column intake.batch.created_at is 'When it was handed in.';
create index batch_created_idx on intake.batch (created_at);

create table intake.page (
    page_id bigint generated always as identity,
    batch_id uuid not null,
    position integer not null,
    url text not null,
    outcome text,
    reason text,
    final_url text,
    title text,
    version_id bigint,
    existing_source text,
    finished_at timestamptz,
    constraint page_pk primary key (page_id),
    constraint page_once_per_position unique (batch_id, position),
    constraint page_batch_fk
    foreign key (batch_id) references intake.batch (batch_id) on delete cascade,
    constraint page_version_fk
    foreign key (version_id) references corpus.version (version_id) on delete set null,
    constraint page_outcome_is_known
    check (outcome in ('staged', 'unchanged', 'duplicate', 'refused')),
    constraint page_is_finished_with_an_outcome check ((outcome is null) = (finished_at is null))
);
comment on table intake.page is
'An address of a batch. While it has no outcome, the task fetch_page of its page_id stands for it.';
comment on column intake.page.page_id is 'Key, and the subject of its task.';
comment on column intake.page.batch_id is 'Its batch.';
comment on column intake.page.position is 'Its place among the addresses that were given, from 1.';
comment on column intake.page.url is 'The address in one spelling (intake.tidy_url), without a password.';
comment on column intake.page.outcome is
'staged: a new text, to be published; unchanged, duplicate: it is there already; refused: it never will be.';
comment on column intake.page.reason is 'Why it was refused.';
comment on column intake.page.final_url is 'Where it was found after redirects: the source of its document.';
comment on column intake.page.title is 'Title of the page.';
comment on column intake.page.version_id is 'Its text; NULL when that was discarded.';
comment on column intake.page.existing_source is 'The source a duplicate is the same as.';
comment on column intake.page.finished_at is 'When its outcome was known.';
create index page_version_idx on intake.page (version_id);

-- its file makes it again with one more argument
-- squawk-ignore ban-drop-function
drop function if exists queue.fail_task(bigint, uuid, text, boolean);
