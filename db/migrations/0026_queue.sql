-- 0026_queue
-- why   a job of a dead holder is free at once, jobs can be cancelled, retried, put first and seen,
--       all workers together keep to what a provider allows, and equal names of files of two
--       folders stay two documents
-- lock  access exclusive on queue.task and corpus.document for a moment
-- undo  drop the views, the table, the columns and the functions of the new signatures
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table queue.task
add column priority smallint not null default 0,
add column holder_pid integer,
add column claimed_at timestamptz,
add column cancelled boolean not null default false;
alter table queue.task
-- squawk-ignore constraint-missing-not-valid
add constraint task_cancelled_is_dead check (dead or not cancelled);
comment on column queue.task.priority is 'Higher goes first; 0 is usual.';
comment on column queue.task.holder_pid is
'Server process of whoever claimed it: when that is gone the claim is void.';
comment on column queue.task.claimed_at is 'When the current claim began.';
comment on column queue.task.cancelled is 'Somebody decided that it is not to be done.';

-- squawk-ignore require-concurrent-index-deletion
drop index queue.task_ready_idx;
-- squawk-ignore require-concurrent-index-creation
create index task_ready_idx on queue.task (priority desc, ready_at, task_id) where not dead;
-- squawk-ignore require-concurrent-index-creation
create index task_held_idx on queue.task (holder_pid) where holder_pid is not null;

-- they get more arguments
-- squawk-ignore ban-drop-function
drop function if exists queue.enqueue(text, bigint, text, interval);
-- squawk-ignore ban-drop-function
drop function if exists queue.claim_tasks(text, integer, interval);
-- squawk-ignore ban-drop-function
drop function if exists corpus.stage_document(
    text, text, text, text, text, text, text, text[], text[], text, text, date, jsonb, text
);

alter table corpus.document
add column origin text;
comment on column corpus.document.origin is
'Fingerprint of the place its file lay in, so that equal names of two folders stay two documents; NULL when it has none.';

create view queue.job as
select
    t.task_id,
    t.kind,
    t.subject_id,
    case
        when t.cancelled then 'cancelled'
        when t.dead then 'dead'
        when t.lease_token is not null and t.ready_at > clock_timestamp() then 'running'
        when t.ready_at > clock_timestamp() then 'waiting'
        else 'ready'
    end as state,
    t.priority,
    t.attempts,
    t.claimed_by,
    t.claimed_at,
    t.ready_at,
    t.created_at,
    t.last_error,
    d.document_id,
    d.source,
    v.title
from queue.task as t
left join corpus.version as v on t.kind = 'publish_version' and t.subject_id = v.version_id
left join corpus.document as d on v.document_id = d.document_id;
comment on view queue.job is
'Every task as people ask about it: its state in a word, who has it, why it failed, which document it is of.';
comment on column queue.job.task_id is 'The task.';
comment on column queue.job.kind is 'What to do.';
comment on column queue.job.subject_id is 'What to do it to.';
comment on column queue.job.priority is 'Higher goes first.';
comment on column queue.job.attempts is 'How often it was claimed.';
comment on column queue.job.claimed_by is 'Who works on it.';
comment on column queue.job.claimed_at is 'Since when.';
comment on column queue.job.ready_at is 'Not before this instant; of a running one the end of its lease.';
comment on column queue.job.created_at is 'When it was enqueued.';
comment on column queue.job.last_error is 'Why the last attempt failed.';
comment on column queue.job.document_id is 'The document it is of, if any.';
comment on column queue.job.source is 'Address or file name of that document.';
comment on column queue.job.title is 'Title of that document.';
comment on column queue.job.state is
'ready (for any worker), waiting (until ready_at), running (leased until ready_at), dead (given up) or cancelled.';

create view queue.summary as
select
    j.kind,
    j.state,
    count(*) as tasks,
    min(j.created_at) as oldest,
    max(j.attempts) as most_attempts
from queue.job as j
group by j.kind, j.state;
comment on view queue.summary is 'How many tasks of each kind are in each state, and since when.';
comment on column queue.summary.kind is 'What is to be done.';
comment on column queue.summary.state is 'As in queue.job.';
comment on column queue.summary.tasks is 'How many.';
comment on column queue.summary.oldest is 'When the oldest was enqueued.';
comment on column queue.summary.most_attempts is 'The most attempts one of them took.';

create table queue.provider_rate (
    provider text not null,
    calls_per_minute integer not null,
    next_at timestamptz not null default '-infinity',
    constraint provider_rate_pk primary key (provider),
    constraint provider_rate_is_positive check (calls_per_minute > 0)
);
comment on table queue.provider_rate is
'What all workers together may ask of a provider; one without a row is asked without limit.';
comment on column queue.provider_rate.provider is 'The provider, as embedding.set names it.';
comment on column queue.provider_rate.calls_per_minute is
'Calls a minute, evenly spread.';
comment on column queue.provider_rate.next_at is 'Nobody asks before this instant.';
