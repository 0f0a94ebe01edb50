-- crawl.keep_frontier
-- Leave to the next run what this one found and has not looked at.
--
-- The page that links to it is not read again while it does not change: nobody would find it, or
-- that its text is wanted, a second time.
--
-- called by  crawl.finish_job, crawl.cancel_job
-- writes     crawl.url

create or replace function crawl.keep_frontier(job_id bigint)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into crawl.url as u (site_id, url, depth, wanted)
    select j.site_id, v.url, v.depth, v.wanted
    from crawl.visit as v
    inner join crawl.job as j on v.job_id = j.job_id
    where v.job_id = keep_frontier.job_id and v.kind = 'page' and v.outcome is null
    order by v.visit_id
    on conflict on constraint url_once_per_site do update
    set wanted = true
    where excluded.wanted and not u.wanted;
$func$;

comment on function crawl.keep_frontier is
'Leave to the next run what this one found and has not looked at.';
