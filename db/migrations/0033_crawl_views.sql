-- 0033_crawl_views
-- why   people ask how a run stands and how a site does; a worker asks what to do next
-- lock  none that matters (new objects)
-- undo  drop view crawl.job_report, crawl.site_overview; drop type crawl.step cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create type crawl.step as (
    action text,
    wait interval,
    visit_id bigint,
    url text,
    host text,
    depth smallint,
    wanted boolean,
    etag text,
    last_modified text,
    robots text,
    failures integer,
    missing_text text
);
comment on type crawl.step is 'What a worker is to do next for a run.';
comment on column crawl.step.action is
'robots (read it), probe, sitemap, page, wait (the task is ready again later) or done.';
comment on column crawl.step.wait is 'How long until the task is ready again.';
comment on column crawl.step.visit_id is 'The visit.';
comment on column crawl.step.url is 'The address to ask for.';
comment on column crawl.step.host is 'Its host.';
comment on column crawl.step.depth is 'Links away from a seed.';
comment on column crawl.step.wanted is 'Its text is kept.';
comment on column crawl.step.etag is 'To be sent back byte for byte.';
comment on column crawl.step.last_modified is 'To be sent back byte for byte.';
comment on column crawl.step.robots is 'robots.txt of the host.';
comment on column crawl.step.missing_text is
'What the host says of an address that does not exist, where it answers with 200.';
comment on column crawl.step.failures is 'How often in a row that could not be read.';

create view crawl.job_report as
select
    j.job_id,
    j.site_id,
    s.name as site,
    s.la_code,
    s.school_urn,
    s.domain,
    j.state,
    j.reason,
    j.requested_by,
    j.created_at,
    j.started_at,
    j.finished_at,
    j.requests,
    s.max_pages,
    j.bytes,
    j.parsed,
    coalesce(c.found, 0)::integer as found,
    coalesce(c.waiting, 0)::integer as waiting,
    coalesce(c.new, 0)::integer as new,
    coalesce(c.changed, 0)::integer as changed,
    coalesce(c.unchanged, 0)::integer as unchanged,
    coalesce(c.duplicate, 0)::integer as duplicate,
    coalesce(c.moved, 0)::integer as moved,
    coalesce(c.gone, 0)::integer as gone,
    coalesce(c.blocked, 0)::integer as blocked,
    coalesce(c.failed, 0)::integer as failed,
    coalesce(c.skipped, 0)::integer as skipped,
    j.known,
    j.lost,
    j.retired,
    j.current_url
from crawl.job as j
inner join crawl.site as s on j.site_id = s.site_id
left join lateral (
    select
        count(*) as found,
        count(*) filter (where v.outcome is null) as waiting,
        count(*) filter (where v.outcome = 'new') as new,
        count(*) filter (where v.outcome = 'changed') as changed,
        count(*) filter (where v.outcome = 'unchanged') as unchanged,
        count(*) filter (where v.outcome = 'duplicate') as duplicate,
        count(*) filter (where v.outcome = 'moved') as moved,
        count(*) filter (where v.outcome in ('gone', 'missing')) as gone,
        count(*) filter (where v.outcome = 'blocked') as blocked,
        count(*) filter (where v.outcome = 'failed') as failed,
        count(*) filter (where v.outcome in ('read', 'outside')) as skipped
    from crawl.visit as v
    where v.job_id = j.job_id and v.kind = 'page'
) as c on true;
comment on view crawl.job_report is 'Every run: how far it is, what it found, why it ended.';
comment on column crawl.job_report.job_id is 'The run.';
comment on column crawl.job_report.site_id is 'Its site.';
comment on column crawl.job_report.site is 'Name of the site.';
comment on column crawl.job_report.la_code is 'The authority whose site it is.';
comment on column crawl.job_report.school_urn is 'The school whose site it is.';
comment on column crawl.job_report.domain is 'The national domain it is.';
comment on column crawl.job_report.state is 'As in crawl.job.';
comment on column crawl.job_report.reason is 'Why it ended early.';
comment on column crawl.job_report.requested_by is 'Who asked for it.';
comment on column crawl.job_report.created_at is 'When it was asked for.';
comment on column crawl.job_report.started_at is 'When it began.';
comment on column crawl.job_report.finished_at is 'When it ended.';
comment on column crawl.job_report.requests is 'Pages and sitemaps asked for.';
comment on column crawl.job_report.max_pages is 'How many it may ask for.';
comment on column crawl.job_report.bytes is 'Bytes that came.';
comment on column crawl.job_report.parsed is 'Pages whose text was read.';
comment on column crawl.job_report.found is 'Pages it knows of.';
comment on column crawl.job_report.waiting is 'Pages it has yet to see.';
comment on column crawl.job_report.new is 'Pages with a text that was not known.';
comment on column crawl.job_report.changed is 'Pages with a new version.';
comment on column crawl.job_report.unchanged is 'Pages as they were.';
comment on column crawl.job_report.duplicate is 'Pages with the text of another.';
comment on column crawl.job_report.moved is 'Addresses that lead to another.';
comment on column crawl.job_report.gone is 'Pages that are not there.';
comment on column crawl.job_report.blocked is 'Pages robots.txt forbids.';
comment on column crawl.job_report.failed is 'Pages that could not be read.';
comment on column crawl.job_report.skipped is 'Pages read for their links alone, or of other sites.';
comment on column crawl.job_report.known is 'Pages with a document when it began.';
comment on column crawl.job_report.lost is 'Of these, how many were not there.';
comment on column crawl.job_report.retired is 'Documents taken out at its end.';
comment on column crawl.job_report.current_url is 'The page that is being fetched.';

create view crawl.site_overview as
select
    s.site_id,
    s.name,
    s.la_code,
    s.school_urn,
    s.domain,
    s.schedule,
    s.next_run_at,
    s.paused,
    u.pages,
    u.documents,
    u.archived,
    u.blocked,
    u.failing,
    l.job_id as last_job,
    l.state as last_state,
    l.reason as last_reason,
    coalesce(l.finished_at, l.started_at, l.created_at) as last_active
from crawl.site as s
left join lateral (
    select
        count(*)::integer as pages,
        count(distinct k.document_id) filter (where not k.is_archived)::integer as documents,
        count(*) filter (where k.is_archived)::integer as archived,
        count(*) filter (where k.blocked_by_robots)::integer as blocked,
        count(*) filter (where k.failure_streak > 0)::integer as failing
    from crawl.url as k
    where k.site_id = s.site_id
) as u on true
left join lateral (
    select
        j.job_id,
        j.state,
        j.reason,
        j.finished_at,
        j.started_at,
        j.created_at
    from crawl.job as j
    where j.site_id = s.site_id
    order by j.job_id desc
    limit 1
) as l on true;
comment on view crawl.site_overview is 'Every site: how it stands, when it was and will be visited.';
comment on column crawl.site_overview.site_id is 'The site.';
comment on column crawl.site_overview.name is 'Its name.';
comment on column crawl.site_overview.la_code is 'The authority whose site it is.';
comment on column crawl.site_overview.school_urn is 'The school whose site it is.';
comment on column crawl.site_overview.domain is 'The national domain it is.';
comment on column crawl.site_overview.schedule is 'When it is visited.';
comment on column crawl.site_overview.next_run_at is 'When that is due next.';
comment on column crawl.site_overview.paused is 'Its schedule rests.';
comment on column crawl.site_overview.pages is 'Pages that are known.';
comment on column crawl.site_overview.documents is 'Documents they gave.';
comment on column crawl.site_overview.archived is 'Pages that are gone.';
comment on column crawl.site_overview.blocked is 'Pages robots.txt forbids.';
comment on column crawl.site_overview.failing is 'Pages that could not be read the last time.';
comment on column crawl.site_overview.last_job is 'Its last run.';
comment on column crawl.site_overview.last_state is 'How that stands or ended.';
comment on column crawl.site_overview.last_reason is 'Why it ended early.';
comment on column crawl.site_overview.last_active is 'When it last did something.';
