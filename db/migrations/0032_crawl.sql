-- 0032_crawl
-- why   sites are visited again and again, politely: what is known of each page must outlive the visit
-- lock  share row exclusive on corpus.document and the tables of place for a moment: url and site
--       refer to them
-- undo  drop schema crawl cascade; delete from queue.task where kind = 'crawl_job';
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema crawl;
comment on schema crawl is
'Web sites that are visited, what is known of their pages, and the runs that visit them.';

create table crawl.site (
    site_id bigint generated always as identity,
    name text not null,
    la_code text,
    school_urn text,
    domain text,
    seeds text[] not null,
    prefixes text[] not null default '{}',
    document_type text,
    tags text[] not null default '{}',
    max_depth smallint not null default 2,
    max_pages integer not null default 500,
    max_bytes bigint not null default 500000000,
    max_time interval not null default '6 hours',
    delay interval not null default '1 second',
    loss_limit real not null default 0.3,
    schedule text,
    time_zone text not null default 'UTC',
    next_run_at timestamptz,
    paused boolean not null default false,
    created_at timestamptz not null default now(),
    constraint site_pk primary key (site_id),
    constraint site_once_per_owner unique nulls not distinct (la_code, school_urn, domain),
    constraint site_authority_fk foreign key (la_code) references place.authority (gss),
    constraint site_school_fk foreign key (school_urn) references place.school (urn),
    constraint site_has_one_owner check (num_nonnulls(la_code, school_urn, domain) = 1),
    constraint site_has_a_seed check (cardinality(seeds) between 1 and 100),
    constraint site_depth_is_small check (max_depth between 0 and 10),
    constraint site_budgets_are_positive
    check (max_pages > 0 and max_bytes > 0 and max_time > interval '0'),
    constraint site_delay_is_sane check (delay between interval '0' and interval '1 minute'),
    constraint site_loss_limit_is_a_share check (loss_limit between 0 and 1)
);
comment on table crawl.site is
'A web site that is visited: the local offer of an authority, a school, or a national domain.';
comment on column crawl.site.site_id is 'Key.';
comment on column crawl.site.name is 'Name people know.';
comment on column crawl.site.la_code is 'The authority whose site it is.';
comment on column crawl.site.school_urn is
'The school whose site it is; its documents get the school''s authority.';
comment on column crawl.site.domain is
'The national domain it is; its documents hold everywhere.';
comment on column crawl.site.seeds is 'Addresses a run begins with.';
comment on column crawl.site.prefixes is
'Addresses that pages must begin with; empty: any page of the sites of the seeds.';
comment on column crawl.site.document_type is 'What its documents are, e.g. school_policy.';
comment on column crawl.site.tags is 'Topic slugs its documents get.';
comment on column crawl.site.max_depth is 'How many links away from a seed pages may be.';
comment on column crawl.site.max_pages is 'Requests of one run at most.';
comment on column crawl.site.max_bytes is 'Bytes of one run at most, unpacked.';
comment on column crawl.site.max_time is 'How long one run may take.';
comment on column crawl.site.delay is
'The least time between two requests to one host; robots.txt may ask for more.';
comment on column crawl.site.loss_limit is
'The share of known pages that may be lost in one run before it stops.';
comment on column crawl.site.schedule is 'When it is visited: five fields as in cron; NULL is never.';
comment on column crawl.site.time_zone is 'The zone its schedule is meant in.';
comment on column crawl.site.next_run_at is 'When the schedule is due next.';
comment on column crawl.site.paused is 'Its schedule rests.';
comment on column crawl.site.created_at is 'When it was added.';
create index site_school_idx on crawl.site (school_urn);
create index site_due_idx on crawl.site (next_run_at) where not paused;

create table crawl.host (
    host text not null,
    robots text,
    robots_status smallint,
    robots_hash bytea,
    robots_fetched_at timestamptz,
    robots_expires_at timestamptz not null default '-infinity',
    robots_failures integer not null default 0,
    robots_delay interval,
    site_delay interval not null default '1 second',
    missing_text text,
    next_at timestamptz not null default '-infinity',
    held_by_task bigint,
    held_token uuid,
    constraint host_pk primary key (host),
    constraint host_is_held_with_a_token check ((held_by_task is null) = (held_token is null))
)
with (fillfactor = 70);
comment on table crawl.host is
'A host that is asked: its robots.txt, and when somebody may ask it next.';
comment on column crawl.host.host is 'Host, with the port when that is not the usual one.';
comment on column crawl.host.robots is
'Its robots.txt; empty when it has none and everything is allowed, NULL when that is not known.';
comment on column crawl.host.robots_status is
'What the host answered the last time; NULL when it did not.';
comment on column crawl.host.robots_hash is 'SHA-256 of robots: a change opens blocked pages again.';
comment on column crawl.host.robots_fetched_at is 'When robots was read.';
comment on column crawl.host.robots_expires_at is 'When it is to be read again.';
comment on column crawl.host.robots_failures is 'How often in a row it could not be read.';
comment on column crawl.host.robots_delay is 'The delay it asks for, by Crawl-delay or Request-rate.';
comment on column crawl.host.site_delay is 'The delay of the sites that are on it.';
comment on column crawl.host.missing_text is
'What it says with 200 of an address that does not exist; NULL where it says 404, as it should.';
comment on column crawl.host.next_at is 'Nobody asks before this instant.';
comment on column crawl.host.held_by_task is
'The task whose worker is asking it now; void when that worker has lost the task.';
comment on column crawl.host.held_token is 'The lease it asks under.';

create table crawl.job (
    job_id bigint generated always as identity,
    site_id bigint not null,
    state text not null default 'pending',
    reason text,
    requested_by text not null default session_user,
    accepts_loss boolean not null default false,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    resumed_at timestamptz,
    finished_at timestamptz,
    requests integer not null default 0,
    bytes bigint not null default 0,
    parsed integer not null default 0,
    known integer not null default 0,
    lost integer not null default 0,
    retired integer not null default 0,
    current_url text,
    constraint job_pk primary key (job_id),
    constraint job_site_fk
    foreign key (site_id) references crawl.site (site_id) on delete cascade,
    constraint job_state_is_known
    check (state in ('pending', 'running', 'paused', 'done', 'cancelled', 'stopped')),
    constraint job_is_finished_with_a_state
    check ((finished_at is null) = (state in ('pending', 'running', 'paused')))
)
with (fillfactor = 70);
comment on table crawl.job is
'A run over a site. While it is open, the task crawl_job of its job_id stands for it.';
comment on column crawl.job.job_id is 'Key, and the subject of its task.';
comment on column crawl.job.site_id is 'Its site.';
comment on column crawl.job.state is
'pending, running, paused, done, cancelled (somebody said so) or stopped (something was wrong).';
comment on column crawl.job.reason is 'Why it ended before every page was seen.';
comment on column crawl.job.requested_by is 'Who asked for it, or the schedule.';
comment on column crawl.job.accepts_loss is 'Somebody has said that the pages are really gone.';
comment on column crawl.job.created_at is 'When it was asked for.';
comment on column crawl.job.started_at is 'When its first page was taken.';
comment on column crawl.job.resumed_at is
'When somebody let it go on: its time counts from then, as a rest is none.';
comment on column crawl.job.finished_at is 'When it ended.';
comment on column crawl.job.requests is 'Pages and sitemaps asked for.';
comment on column crawl.job.bytes is 'Bytes that came, unpacked.';
comment on column crawl.job.parsed is 'Pages whose text was read; the others had not changed.';
comment on column crawl.job.known is 'Pages with a document when it began.';
comment on column crawl.job.lost is 'Of these, how many were not there this time.';
comment on column crawl.job.retired is 'Documents taken out of the search at its end.';
comment on column crawl.job.current_url is 'The page that is being fetched.';
create unique index job_one_open_per_site_idx on crawl.job (site_id)
where finished_at is null;
create index job_site_idx on crawl.job (site_id, job_id);

create table crawl.url (
    url_id bigint generated always as identity,
    site_id bigint not null,
    url text not null,
    depth smallint not null,
    wanted boolean not null,
    document_id bigint,
    etag text,
    etag_lies boolean not null default false,
    last_modified text,
    last_modified_at timestamptz,
    body_hash bytea,
    content_hash bytea,
    extractor text,
    version integer,
    is_archived boolean not null default false,
    archived_at timestamptz,
    blocked_by_robots boolean not null default false,
    failure_streak integer not null default 0,
    missing_streak integer not null default 0,
    reason text,
    last_checked timestamptz,
    last_changed timestamptz,
    next_check timestamptz not null default '-infinity',
    constraint url_pk primary key (url_id),
    constraint url_once_per_site unique (site_id, url),
    constraint url_site_fk
    foreign key (site_id) references crawl.site (site_id) on delete cascade,
    constraint url_document_fk
    foreign key (document_id) references corpus.document (document_id) on delete set null,
    constraint url_archived_has_a_day check (is_archived = (archived_at is not null))
)
with (fillfactor = 70);
comment on table crawl.url is 'A page of a site as it was when it was last seen.';
comment on column crawl.url.url_id is 'Key.';
comment on column crawl.url.site_id is 'Its site.';
comment on column crawl.url.url is 'Its address in one spelling.';
comment on column crawl.url.depth is 'Links away from a seed, the fewest known.';
comment on column crawl.url.wanted is
'Its text is kept; false of a page that is read for its links alone.';
comment on column crawl.url.document_id is
'The document with its text: its own, or of the page it is a copy of.';
comment on column crawl.url.etag is 'As the site sent it, byte for byte.';
comment on column crawl.url.etag_lies is
'Once the text was another under the same etag: it is not sent back any more.';
comment on column crawl.url.last_modified is 'As the site sent it, byte for byte.';
comment on column crawl.url.last_modified_at is 'The instant that means; NULL when it means none.';
comment on column crawl.url.body_hash is 'SHA-256 of the bytes: equal ones are not read again.';
comment on column crawl.url.content_hash is 'Hash of the extracted text (corpus.content_hash).';
comment on column crawl.url.extractor is 'The extractor that read it; another one reads it anew.';
comment on column crawl.url.version is 'The version of the document it made last.';
comment on column crawl.url.is_archived is 'It is gone and its document is retired.';
comment on column crawl.url.archived_at is 'When it was found gone.';
comment on column crawl.url.blocked_by_robots is 'robots.txt forbids it.';
comment on column crawl.url.failure_streak is 'Runs in a row in which it could not be read.';
comment on column crawl.url.missing_streak is 'Runs in a row in which there was no such page.';
comment on column crawl.url.reason is 'Why it gave nothing the last time.';
comment on column crawl.url.last_checked is 'When it was last asked for or judged.';
comment on column crawl.url.last_changed is 'When its text was last found new.';
comment on column crawl.url.next_check is 'Runs that begin earlier leave it out.';
create index url_content_hash_idx on crawl.url (site_id, content_hash);
create index url_document_idx on crawl.url (document_id);

create table crawl.visit (
    visit_id bigint generated always as identity,
    job_id bigint not null,
    url text not null,
    host text not null,
    kind text not null default 'page',
    depth smallint not null,
    wanted boolean not null default true,
    ready_at timestamptz not null default '-infinity',
    attempts smallint not null default 0,
    was_known boolean not null default false,
    outcome text,
    reason text,
    successor text,
    finished_at timestamptz,
    constraint visit_pk primary key (visit_id),
    constraint visit_once_per_job unique (job_id, url),
    constraint visit_job_fk
    foreign key (job_id) references crawl.job (job_id) on delete cascade,
    constraint visit_kind_is_known check (kind in ('page', 'sitemap', 'probe')),
    constraint visit_outcome_is_known check (outcome in (
        'new', 'changed', 'unchanged', 'duplicate', 'read', 'moved', 'gone', 'missing',
        'blocked', 'failed', 'outside'
    )),
    constraint visit_is_finished_with_an_outcome
    check ((outcome is null) = (finished_at is null))
)
with (fillfactor = 70);
comment on table crawl.visit is
'A page a run goes to; those without an outcome are its frontier, and outlive whoever works on it.';
comment on column crawl.visit.visit_id is 'Key.';
comment on column crawl.visit.job_id is 'Its run.';
comment on column crawl.visit.url is 'The address.';
comment on column crawl.visit.host is 'Its host.';
comment on column crawl.visit.kind is
'page, sitemap (a list of pages) or probe (an address that cannot exist).';
comment on column crawl.visit.depth is 'Links away from a seed.';
comment on column crawl.visit.wanted is 'Its text is kept; false when only its links count.';
comment on column crawl.visit.ready_at is 'Not before this instant, after a failure.';
comment on column crawl.visit.attempts is 'How often it was taken.';
comment on column crawl.visit.was_known is 'It had a document when the run began.';
comment on column crawl.visit.outcome is
'new, changed, unchanged, duplicate (of another page), read (for its links), moved, gone (for good), missing, blocked (by robots.txt), failed or outside.';
comment on column crawl.visit.reason is 'Why, where the outcome does not say it all.';
comment on column crawl.visit.successor is 'Where it moved to, or what it is a copy of.';
comment on column crawl.visit.finished_at is 'When its outcome was known.';
create index visit_frontier_idx on crawl.visit (job_id, depth, visit_id) where outcome is null;

create table crawl.policy_page (
    pack text not null,
    slug text not null,
    name text not null,
    phrases text[] not null,
    unless text[] not null default '{}',
    constraint policy_page_pk primary key (pack, slug),
    constraint policy_page_pack_fk
    foreign key (pack) references terms.pack (pack) on delete cascade,
    constraint policy_page_has_phrases check (cardinality(phrases) > 0)
);
comment on table crawl.policy_page is
'Kinds of policies of a school, by what links to them say: of a school''s site only these are kept.';
comment on column crawl.policy_page.pack is 'The pack it came with.';
comment on column crawl.policy_page.slug is 'Key within the pack.';
comment on column crawl.policy_page.name is 'Name people know.';
comment on column crawl.policy_page.phrases is
'What the words or the address of a link say; one that begins with = must be all that is said.';
comment on column crawl.policy_page.unless is 'What they must not say besides.';
