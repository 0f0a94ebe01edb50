-- crawl.set_site
-- Add a site or change what is given of it; NULL leaves a setting as it is, an empty schedule ends it.
--
-- A site belongs to an authority, a school or a national domain; each has one, with any number of
-- seeds.
--
-- definer because  the app's administrators may set up sites, but not write tables
-- called by  crawl.site_for, ingest/crawl/sites/calls.py, administrators
-- writes     crawl.site
-- raises     WC002 not one owner, or an address that cannot be fetched, WC003 unusable schedule,
--            KB002 unknown tag, PL001, PL002, PL003

create or replace function crawl.set_site(
    la_code text default null,
    school_urn text default null,
    domain text default null,
    name text default null,
    seeds text[] default null,
    prefixes text[] default null,
    document_type text default null,
    tags text[] default null,
    max_depth integer default null,
    max_pages integer default null,
    max_bytes bigint default null,
    max_time interval default null,
    delay interval default null,
    loss_limit real default null,
    schedule text default null,
    time_zone text default null,
    paused boolean default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _la_code text := place.resolve_authority(nullif(btrim(set_site.la_code), ''));
    _school_urn text := nullif(btrim(set_site.school_urn), '');
    _domain text := nullif(lower(btrim(set_site.domain)), '');
    _old crawl.site;
    _seeds text[];
    _schedule text;
    _time_zone text;
    _next_run_at timestamptz;
    _site_id bigint;
begin
    if num_nonnulls(_la_code, _school_urn, _domain) <> 1 then
        raise exception 'a site is of one authority, one school or one national domain'
            using errcode = 'WC002', hint = 'Give exactly one of la_code, school_urn and domain.';
    end if;
    perform place.check_school(_school_urn);
    select s.* into _old
    from crawl.site as s
    where (s.la_code, s.school_urn, s.domain) is not distinct from (_la_code, _school_urn, _domain)
    for update;
    _seeds := coalesce(
        (
            select array_agg(t.tidy order by t.place)
            from (
                select intake.tidy_url(u.url) as tidy, min(u.place) as place
                from unnest(set_site.seeds) with ordinality as u (url, place)
                where u.url ~ '\S'
                group by intake.tidy_url(u.url)
            ) as t
        ),
        _old.seeds
    );
    if _seeds is null or array_position(_seeds, null) is not null
        or cardinality(_seeds) > 100
    then
        raise exception 'a site needs addresses to begin with'
            using errcode = 'WC002',
                  hint = 'Give 1 to 100 addresses that begin with http:// or https://.';
    end if;
    -- one that cannot be read would leave the whole site open
    if exists (
        select from unnest(set_site.prefixes) as p (url) where intake.tidy_url(p.url) is null
    ) then
        raise exception 'a prefix is no address'
            using errcode = 'WC002',
                  hint = 'Give addresses that begin with http:// or https://, as of pages.';
    end if;
    _schedule := case
        when set_site.schedule is null then _old.schedule else nullif(btrim(set_site.schedule), '')
    end;
    _time_zone := coalesce(set_site.time_zone, _old.time_zone, 'UTC');
    _next_run_at := crawl.next_run(_schedule, now(), _time_zone);
    if _schedule is not null and _next_run_at is null then
        raise exception 'the schedule "%" names no day', left(_schedule, 60)
            using errcode = 'WC003', hint = 'Give a day that its months have.';
    end if;
    if _old.schedule = _schedule and _old.time_zone = _time_zone then
        _next_run_at := _old.next_run_at;
    end if;

    insert into crawl.site as s (
        name, la_code, school_urn, domain, seeds, prefixes, document_type, tags, max_depth,
        max_pages, max_bytes, max_time, delay, loss_limit, schedule, time_zone, next_run_at, paused
    )
    values (
        coalesce(
            nullif(btrim(set_site.name), ''), _old.name,
            (select a.name from place.authority as a where a.gss = _la_code),
            (select c.name from place.school as c where c.urn = _school_urn),
            _domain
        ),
        _la_code, _school_urn, _domain, _seeds,
        coalesce(set_site.prefixes, _old.prefixes, '{}'),
        coalesce(
            nullif(btrim(set_site.document_type), ''), _old.document_type,
            case
                when _la_code is not null then 'local_offer'
                when _school_urn is not null then 'school_policy'
            end
        ),
        coalesce(
            case when set_site.tags is not null then corpus.check_tags(set_site.tags) end,
            _old.tags, '{}'
        ),
        coalesce(set_site.max_depth, _old.max_depth, 2),
        coalesce(set_site.max_pages, _old.max_pages, 500),
        coalesce(set_site.max_bytes, _old.max_bytes, 500000000),
        coalesce(set_site.max_time, _old.max_time, interval '6 hours'),
        coalesce(set_site.delay, _old.delay, interval '1 second'),
        coalesce(set_site.loss_limit, _old.loss_limit, 0.3),
        _schedule, _time_zone, _next_run_at,
        coalesce(set_site.paused, _old.paused, false)
    )
    on conflict on constraint site_once_per_owner do update set
        name = excluded.name, seeds = excluded.seeds, prefixes = excluded.prefixes,
        document_type = excluded.document_type, tags = excluded.tags,
        max_depth = excluded.max_depth, max_pages = excluded.max_pages,
        max_bytes = excluded.max_bytes, max_time = excluded.max_time, delay = excluded.delay,
        loss_limit = excluded.loss_limit, schedule = excluded.schedule,
        time_zone = excluded.time_zone, next_run_at = excluded.next_run_at,
        paused = excluded.paused
    returning s.site_id into _site_id;
    return _site_id;
end;
$func$;

comment on function crawl.set_site is
'Add a site or change what is given of it; NULL leaves a setting as it is, an empty schedule ends it.';
