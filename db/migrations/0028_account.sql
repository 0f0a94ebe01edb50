-- 0028_account
-- why   people sign in, their children say whose rules hold, nobody may ask without end, and
--       whoever leaves is forgotten
-- lock  none that matters (new objects; share row exclusive on place.school for a moment)
-- undo  drop schema limits, account, privacy cascade; delete the settings below
set local lock_timeout = '2s';
set local statement_timeout = '60s';

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.self_registration', 'boolean', 'off', null, null, null, '',
        'Whether people may make an account of their own, as parents or professionals.'),
    ('kb.session_days', 'integer', '30', 1, 365, null, 'days',
        'How long a session lasts at most; then the password is asked for again.'),
    ('kb.refresh_grace_seconds', 'integer', '10', 0, 300, null, 'seconds',
        'A refresh token used twice within this time was sent by two tabs at once; later it was stolen, and its session ends.'),
    ('kb.children_per_person', 'integer', '20', 1, 200, null, 'children',
        'How many children one person may have on file.'),
    ('kb.asks_per_person', 'integer', '30', 0, 100000, null, 'per minute',
        'How often a person may ask or search; 0 is without limit.'),
    ('kb.asks_per_address', 'integer', '120', 0, 100000, null, 'per minute',
        'How often may be asked from one network address; 0 is without limit.'),
    ('kb.sign_ins_per_email', 'integer', '10', 0, 100000, null, 'per 15 minutes',
        'How often a password may be tried for one e-mail address, known or not; 0 is without limit.'),
    ('kb.sign_ins_per_address', 'integer', '50', 0, 100000, null, 'per 15 minutes',
        'How often a password may be tried from one network address; 0 is without limit.'),
    ('kb.refreshes_per_address', 'integer', '120', 0, 100000, null, 'per minute',
        'How often a session may be refreshed from one network address; 0 is without limit.'),
    ('kb.registrations_per_address', 'integer', '5', 0, 100000, null, 'per hour',
        'How many accounts may be made from one network address; 0 is without limit.');

-- how often somebody may do something

create schema limits;
comment on schema limits is 'How often somebody may do something.';

create table limits.rule (
    rule text primary key,
    setting text not null,
    per interval not null,
    meaning text not null,
    constraint rule_setting_fk foreign key (setting) references config.setting (name),
    constraint rule_takes_time check (per > interval '0')
);
comment on table limits.rule is 'What is limited, by which setting, over which time.';
comment on column limits.rule.rule is 'Name of the limit.';
comment on column limits.rule.setting is 'The setting that says how many; 0 there is no limit.';
comment on column limits.rule.per is 'Over this time.';
comment on column limits.rule.meaning is 'What is counted, and for whom.';
create index rule_setting_idx on limits.rule (setting);
insert into limits.rule (rule, setting, per, meaning) values
('ask_person', 'kb.asks_per_person', '1 minute', 'Questions and searches of a person.'),
('ask_address', 'kb.asks_per_address', '1 minute', 'Questions and searches from an address.'),
('sign_in_email', 'kb.sign_ins_per_email', '15 minutes', 'Passwords tried for an e-mail address.'),
('sign_in_address', 'kb.sign_ins_per_address', '15 minutes', 'Passwords tried from an address.'),
('refresh_address', 'kb.refreshes_per_address', '1 minute', 'Sessions refreshed from an address.'),
('register_address', 'kb.registrations_per_address', '1 hour', 'Accounts made from an address.');

-- a crash forgets it, which costs nothing; no statement waits for the log. No foreign key: it would
-- lock the row of the rule that everybody shares
create unlogged table limits.bucket (
    rule text,
    subject bytea,
    empty_at timestamptz not null,
    primary key (rule, subject),
    constraint bucket_subject_is_sha256 check (octet_length(subject) = 32)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
comment on table limits.bucket is
'How full the measure of a subject is: each use pours in, time lets out; a full one lets nothing more in.';
comment on column limits.bucket.rule is 'The limit.';
comment on column limits.bucket.subject is 'SHA-256 of whom it counts for: no address stands here.';
comment on column limits.bucket.empty_at is 'When nothing would be left in it.';

-- who may sign in

create schema account;
comment on schema account is 'People, their children, and the sessions they are signed in with.';

create table account.person (
    person_id uuid primary key default gen_random_uuid(),
    email text not null,
    role text not null,
    school_urn text,
    created_at timestamptz not null default now(),
    disabled_at timestamptz,
    constraint person_once_per_email unique (email),
    constraint person_school_fk foreign key (school_urn) references place.school (urn),
    constraint person_role_is_known
    check (role in ('parent', 'professional', 'curator', 'admin'))
);
comment on table account.person is 'Somebody with an account.';
comment on column account.person.person_id is 'Key; elsewhere a person is only this.';
comment on column account.person.email is 'Address to sign in with, folded: one spelling, one account.';
comment on column account.person.role is
'parent or professional (ask), curator (decides on content) or admin (everything).';
comment on column account.person.school_urn is 'The school a professional works at.';
comment on column account.person.created_at is 'Since when.';
comment on column account.person.disabled_at is 'Since when they may no longer sign in; NULL is allowed.';
create index person_created_idx on account.person (created_at, person_id);
create index person_school_idx on account.person (school_urn) where school_urn is not null;
create index person_admin_idx on account.person (person_id)
where role = 'admin' and disabled_at is null;

create table account.password (
    person_id uuid primary key,
    hash text not null,
    changed_at timestamptz not null default now(),
    constraint password_person_fk
    foreign key (person_id) references account.person (person_id) on delete cascade,
    constraint password_is_argon2id check (hash ~ '^\$argon2id\$v=19\$[!-~]{20,250}$')
);
comment on table account.password is 'How a password is known again; apart, so that who may list people may not read it.';
comment on column account.password.person_id is 'Whose.';
comment on column account.password.hash is 'argon2id with its salt and cost; the password is nowhere.';
comment on column account.password.changed_at is 'When it was chosen.';

create table account.child (
    child_id uuid primary key default gen_random_uuid(),
    person_id uuid not null,
    name text,
    school_urn text,
    postcode text,
    created_at timestamptz not null default now(),
    constraint child_person_fk
    foreign key (person_id) references account.person (person_id) on delete cascade,
    constraint child_school_fk foreign key (school_urn) references place.school (urn),
    constraint child_name_is_short check (length(name) between 1 and 100)
);
comment on table account.child is 'A child somebody asks about: only what decides whose rules hold.';
comment on column account.child.child_id is 'Key.';
comment on column account.child.person_id is 'Whose profile it is on.';
comment on column account.child.name is 'What the person calls it here, a pseudonym will do; NULL is none.';
comment on column account.child.school_urn is 'Its school.';
comment on column account.child.postcode is 'Its home, folded.';
comment on column account.child.created_at is 'The first child of a profile is the one added first.';
create index child_person_idx on account.child (person_id, created_at, child_id);
create index child_school_idx on account.child (school_urn) where school_urn is not null;

create table account.session (
    session_id uuid primary key default gen_random_uuid(),
    person_id uuid not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    revoked_because text,
    constraint session_person_fk
    foreign key (person_id) references account.person (person_id) on delete cascade,
    constraint session_revoked_for_a_reason
    check ((revoked_at is null) = (revoked_because is null)),
    constraint session_reason_is_known check (revoked_because in (
        'signed_out', 'signed_out_everywhere', 'token_reused', 'password_changed', 'disabled'
    ))
);
comment on table account.session is
'One sign-in on one device: the family of the refresh tokens that followed each other.';
comment on column account.session.session_id is 'Key; access tokens carry it.';
comment on column account.session.person_id is 'Whose.';
comment on column account.session.created_at is 'When they signed in.';
comment on column account.session.expires_at is 'Nothing of it is good after this instant.';
comment on column account.session.revoked_at is 'When it ended before its time.';
comment on column account.session.revoked_because is 'Why.';
create index session_person_idx on account.session (person_id);
create index session_expires_idx on account.session (expires_at);

create table account.refresh_token (
    token_hash bytea primary key,
    session_id uuid not null,
    issued_at timestamptz not null default now(),
    used_at timestamptz,
    constraint refresh_token_session_fk
    foreign key (session_id) references account.session (session_id) on delete cascade,
    constraint refresh_token_hash_is_sha256 check (octet_length(token_hash) = 32)
);
comment on table account.refresh_token is 'Tokens a session is gone on with, each once.';
comment on column account.refresh_token.token_hash is 'SHA-256 of it; the token is nowhere.';
comment on column account.refresh_token.session_id is 'The session it continues.';
comment on column account.refresh_token.issued_at is 'When it was given out.';
comment on column account.refresh_token.used_at is 'When it was used; twice is theft.';
-- one of a family is good at a time
create unique index refresh_token_unused_idx on account.refresh_token (session_id)
where used_at is null;
create index refresh_token_session_idx on account.refresh_token (session_id);

create schema privacy;
comment on schema privacy is 'What is held of a person: handed over, and forgotten.';

-- events about a person or by one are found when that person leaves
-- squawk-ignore require-concurrent-index-creation
create index event_actor_idx on audit.event (actor) where actor like 'person:%';
