-- crawl.site_for
-- The site of an authority, a school or a national domain; made from the home page the registers know where there is none yet.
--
-- called by  crawl.start
-- writes     crawl.site
-- raises     WC002 no address is known, PL001, PL002, PL003

create or replace function crawl.site_for(
    la_code text default null,
    school_urn text default null,
    domain text default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _la_code text := place.resolve_authority(nullif(btrim(site_for.la_code), ''));
    _school_urn text := nullif(btrim(site_for.school_urn), '');
    _domain text := nullif(lower(btrim(site_for.domain)), '');
    _site_id bigint;
    _home text;
begin
    perform place.check_school(_school_urn);
    select s.site_id into _site_id
    from crawl.site as s
    where (s.la_code, s.school_urn, s.domain) is not distinct from (_la_code, _school_urn, _domain);
    if found then
        return _site_id;
    end if;
    _home := intake.tidy_url(coalesce(
        (select a.website from place.authority as a where a.gss = _la_code),
        (select c.website from place.school as c where c.urn = _school_urn),
        (select 'https://' || d.domain from corpus.domain as d where d.domain = _domain)
    ));
    if _home is null then
        raise exception 'no web site of % is known', coalesce(_la_code, _school_urn, _domain)
            using errcode = 'WC002',
                  hint = 'Say where it begins: select crawl.set_site(..., seeds => array[''https://...'']);';
    end if;
    return crawl.set_site(_la_code, _school_urn, _domain, seeds => array[_home]);
end;
$func$;

comment on function crawl.site_for is
'The site of an authority, a school or a national domain; made from the home page the registers know where there is none yet.';
