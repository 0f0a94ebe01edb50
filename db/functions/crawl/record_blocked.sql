-- crawl.record_blocked
-- Be done with a page or sitemap that robots.txt forbids; it was not asked for, and what is known of it stays. NULL when the task is lost.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.url, and what crawl.close_visit writes

create or replace function crawl.record_blocked(
    task_id bigint,
    lease_token uuid,
    visit_id bigint
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _visit crawl.visit;
begin
    select f.* into _visit
    from crawl.fence(
        record_blocked.task_id, record_blocked.lease_token, record_blocked.visit_id
    ) as f;
    if not found then
        return null;
    end if;
    insert into crawl.url as u (
        site_id, url, depth, wanted, blocked_by_robots, last_checked, next_check
    )
    select
        j.site_id, _visit.url, _visit.depth, _visit.wanted, true, now(), now() + interval '7 days'
    from crawl.job as j
    where j.job_id = _visit.job_id and _visit.kind = 'page'
    on conflict on constraint url_once_per_site do update
    set
        blocked_by_robots = true,
        last_checked = excluded.last_checked,
        next_check = excluded.next_check;
    perform crawl.close_visit(
        record_blocked.task_id, record_blocked.lease_token, _visit, 'blocked',
        reason => 'robots.txt forbids it', was_asked => false
    );
    return 'blocked';
end;
$func$;

comment on function crawl.record_blocked is
'Be done with a page or sitemap that robots.txt forbids; it was not asked for, and what is known of it stays. NULL when the task is lost.';
