-- crawl.start_due
-- Ask for runs over the sites whose schedule is due; returns how many.
--
-- A site that is still being visited is due again the next time. What was missed while no worker
-- ran is made up for by one run.
--
-- called by  ingest/crawl/sites/calls.py (worker upkeep)
-- writes     crawl.site, crawl.job, queue.task
-- locks      the sites that are due; two at once take different ones

create or replace function crawl.start_due()
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _site crawl.site;
    _started integer := 0;
begin
    for _site in
        select s.*
        from crawl.site as s
        where s.next_run_at <= now() and not s.paused
        order by s.next_run_at
        for update skip locked
    loop
        update crawl.site as s
        set next_run_at = crawl.next_run(s.schedule, now(), s.time_zone)
        where s.site_id = _site.site_id;
        _started := _started + (crawl.open_job(_site.site_id, 'schedule')).is_new::integer;
    end loop;
    return _started;
end;
$func$;

comment on function crawl.start_due is
'Ask for runs over the sites whose schedule is due; returns how many.';
