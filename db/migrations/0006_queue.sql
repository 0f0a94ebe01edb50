-- 0006_queue
-- why   a staged document must be finished by somebody when the one who staged it dies
-- lock  none that matters (new objects)
-- undo  drop schema queue cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema queue;
comment on schema queue is 'Work that must survive the death of whoever does it.';

create table queue.task (
    task_id bigint generated always as identity,
    kind text not null,
    subject_id bigint not null,
    ready_at timestamptz not null default now(),
    lease_token uuid,
    claimed_by text,
    attempts integer not null default 0,
    dead boolean not null default false,
    last_error text,
    created_at timestamptz not null default now(),
    constraint task_pk primary key (task_id),
    constraint task_one_per_subject unique (kind, subject_id),
    constraint task_attempts_not_negative check (attempts >= 0)
)
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table queue.task is 'Work waiting for a worker; the row leaves when the work is done.';
comment on column queue.task.task_id is 'Key.';
comment on column queue.task.kind is 'What to do, e.g. publish_version.';
comment on column queue.task.subject_id is 'What to do it to.';
comment on column queue.task.ready_at is 'Not before this instant; a claim moves it one lease ahead.';
comment on column queue.task.lease_token is
'Proof of the current claim: whoever holds an older one can no longer finish, renew or fail the task.';
comment on column queue.task.claimed_by is 'Who works on it.';
comment on column queue.task.attempts is 'How often it was claimed.';
comment on column queue.task.dead is 'Given up after too many attempts; a person decides.';
comment on column queue.task.last_error is 'Why the last attempt failed.';
comment on column queue.task.created_at is 'When it was enqueued.';
create index task_ready_idx on queue.task (ready_at, task_id) where not dead;
