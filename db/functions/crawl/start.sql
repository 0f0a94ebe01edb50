-- crawl.start
-- Ask for runs: over the site of an authority, of a school or of a national domain, over the schools of an authority, or over all sites.
--
-- A site whose run waits or is under way gets no second one: is_new tells. Everything means every
-- site that is set up, the home page of every live authority, and the national domains once each;
-- schools only when they are set up. A school without a web site is left out of a batch.
--
-- definer because  the app's administrators may ask for runs, but touch neither queue nor sites
-- called by  ingest/crawl/sites/calls.py, administrators
-- writes     crawl.site, crawl.job, queue.task
-- raises     WC002 nothing to visit, PL001, PL002, PL003

create or replace function crawl.start(
    la_code text default null,
    school_urn text default null,
    domain text default null,
    schools boolean default false,
    everything boolean default false,
    requested_by text default session_user
)
returns table (job_id bigint, site_id bigint, site text, is_new boolean)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _la_code text := place.resolve_authority(nullif(btrim(start.la_code), ''));
    _sites bigint[];
begin
    if start.everything then
        perform crawl.site_for(la_code => a.gss)
        from place.authority as a
        where a.status = 'live' and intake.tidy_url(a.website) is not null;
        perform crawl.site_for(domain => d.domain) from corpus.domain as d;
        _sites := array(select s.site_id from crawl.site as s order by s.site_id);
    elsif start.schools and _la_code is not null then
        _sites := array(
            select crawl.site_for(school_urn => c.urn)
            from place.school as c
            where
                c.la_code = any(place.authority_family(_la_code))
                and c.status = 'open'
                and (
                    intake.tidy_url(c.website) is not null
                    or exists (select from crawl.site as s where s.school_urn = c.urn)
                )
            order by c.urn
        );
    elsif num_nonnulls(_la_code, start.school_urn, start.domain) = 1 then
        _sites := array[crawl.site_for(_la_code, start.school_urn, start.domain)];
    end if;
    if coalesce(cardinality(_sites), 0) = 0 then
        raise exception 'there is nothing to visit'
            using errcode = 'WC002',
                  hint = 'Name an authority, a school or a national domain whose web site is known.';
    end if;
    return query
    select o.job_id, s.site_id, s.name, o.is_new
    from unnest(_sites) with ordinality as u (site_id, place)
    inner join crawl.site as s on u.site_id = s.site_id
    cross join lateral crawl.open_job(s.site_id, start.requested_by) as o
    order by u.place;
end;
$func$;

comment on function crawl.start is
'Ask for runs: over the site of an authority, of a school or of a national domain, over the schools of an authority, or over all sites.';
