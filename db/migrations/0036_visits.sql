-- 0036_visits
-- why   a page that asks not to be kept, says nothing any more or needs POST is no plain failure; and
--       of a site larger than its budget the pages seen longest ago take turns with new ones
-- lock  access exclusive on crawl.visit for as long as its rows are read once (kept 30 days)
-- undo  alter table crawl.visit drop column priority; then the older constraint, index and view
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table crawl.visit add column priority integer not null default 0;
comment on column crawl.visit.priority is
'Its turn, lowest first: 0 what a run begins with, even numbers known pages, seen longest ago first, odd ones new pages as they are found.';
-- a wider one takes its place at once
-- squawk-ignore ban-drop-constraint
alter table crawl.visit drop constraint visit_outcome_is_known;
-- squawk-ignore constraint-missing-not-valid
alter table crawl.visit add constraint visit_outcome_is_known check (outcome in (
    'new', 'changed', 'unchanged', 'duplicate', 'read', 'moved', 'gone', 'missing',
    'withdrawn', 'empty', 'needs_post', 'blocked', 'failed', 'outside'
));
comment on column crawl.visit.outcome is
'new, changed, unchanged, duplicate (of another page), read (for its links), moved, gone (for good), missing, withdrawn (asks not to be kept), empty (says nothing any more), needs_post (its text comes by POST), blocked (by robots.txt), failed or outside.';

-- squawk-ignore require-concurrent-index-deletion
drop index crawl.visit_frontier_idx;
-- squawk-ignore require-concurrent-index-creation
create index visit_frontier_idx on crawl.visit (job_id, priority, depth, visit_id)
where outcome is null;

create or replace view crawl.job_report as
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
        count(*) filter (
            where v.outcome in ('gone', 'missing', 'withdrawn', 'empty')
        ) as gone,
        count(*) filter (where v.outcome = 'blocked') as blocked,
        count(*) filter (where v.outcome in ('failed', 'needs_post')) as failed,
        count(*) filter (where v.outcome in ('read', 'outside')) as skipped
    from crawl.visit as v
    where v.job_id = j.job_id and v.kind = 'page'
) as c on true;
comment on column crawl.job_report.gone is
'Pages that are not there, ask not to be kept, or say nothing any more.';
comment on column crawl.job_report.failed is
'Pages that could not be read, those whose text comes by POST among them.';
comment on column crawl.url.missing_streak is
'Runs in a row in which there was no such page, or it asked not to be kept, or said nothing.';
