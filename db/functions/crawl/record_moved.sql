-- crawl.record_moved
-- Be done with an address that leads to another: that joins the frontier where it is of the site or a national one; moved or outside, NULL when the task is lost.
--
-- So the place a redirect ends at is judged like every other page: by scope, by robots.txt, for its
-- own turn and under its own address. A page of a national domain is followed from an authority's
-- site only while no national site has it: it is fetched once, not once per authority. A sitemap
-- leads to another sitemap, of the site alone.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.url, and what crawl.add_visits, crawl.add_sitemaps and crawl.close_visit write

create or replace function crawl.record_moved(
    task_id bigint,
    lease_token uuid,
    visit_id bigint,
    target text,
    is_inside boolean
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
    _outcome text := 'outside';
begin
    select f.* into _visit
    from crawl.fence(record_moved.task_id, record_moved.lease_token, record_moved.visit_id) as f;
    if not found then
        return null;
    end if;
    if _visit.kind = 'sitemap' then
        if record_moved.is_inside then
            _outcome := 'moved';
            perform crawl.add_sitemaps(_visit.job_id, array[record_moved.target]);
        end if;
    elsif record_moved.is_inside or (
        exists (
            select from corpus.domain as d
            where d.domain = corpus.source_host(record_moved.target)
        )
        and not exists (
            select
            from crawl.url as u
            inner join crawl.job as j on u.site_id <> j.site_id
            where
                j.job_id = _visit.job_id
                and u.url = record_moved.target
                and u.document_id is not null
                and not u.is_archived
        )
    ) then
        _outcome := 'moved';
        -- one that was gone is back: somebody is sent there
        update crawl.url as u
        set next_check = now()
        from crawl.job as j
        where
            j.job_id = _visit.job_id and u.site_id = j.site_id and u.url = record_moved.target
            and u.is_archived;
        perform crawl.add_visits(
            _visit.job_id,
            jsonb_build_array(
                jsonb_build_object('url', record_moved.target, 'wanted', _visit.wanted)
            ),
            _visit.depth
        );
    end if;
    perform crawl.close_visit(
        record_moved.task_id, record_moved.lease_token, _visit, _outcome,
        reason => 'it leads to ' || record_moved.target, successor => record_moved.target
    );
    return _outcome;
end;
$func$;

comment on function crawl.record_moved is
'Be done with an address that leads to another: that joins the frontier where it is of the site or a national one; moved or outside, NULL when the task is lost.';
