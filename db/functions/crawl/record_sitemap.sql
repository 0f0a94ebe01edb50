-- crawl.record_sitemap
-- Be done with a sitemap: the pages and sitemaps it lists join the frontier; read, NULL when the task is lost.
--
-- A sitemap that lists itself is one visit all the same, and twenty levels or files are enough.
--
-- called by  ingest/crawl/calls.py
-- writes     what crawl.add_visits, crawl.add_sitemaps and crawl.close_visit write

create or replace function crawl.record_sitemap(
    task_id bigint,
    lease_token uuid,
    visit_id bigint,
    size bigint,
    links jsonb default '[]',
    sitemaps text[] default '{}'
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
        record_sitemap.task_id, record_sitemap.lease_token, record_sitemap.visit_id
    ) as f;
    if not found then
        return null;
    end if;
    perform crawl.add_visits(_visit.job_id, record_sitemap.links, 1);
    perform crawl.add_sitemaps(_visit.job_id, record_sitemap.sitemaps);
    perform crawl.close_visit(
        record_sitemap.task_id, record_sitemap.lease_token, _visit, 'read',
        size => record_sitemap.size
    );
    return 'read';
end;
$func$;

comment on function crawl.record_sitemap is
'Be done with a sitemap: the pages and sitemaps it lists join the frontier; read, NULL when the task is lost.';
