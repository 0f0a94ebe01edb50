-- intake.tidy_url
-- An address in one spelling: lower-case scheme and host, no default port, no fragment; NULL when it is no address of the web.
--
-- Only what every server treats as the same is made the same. A user name or password makes it
-- no address: it would be kept, shown and logged.
--
-- called by  intake.create_batch, crawl.set_site, crawl.site_for, crawl.start
-- raises     nothing

create or replace function intake.tidy_url(url text)
returns text
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        p.scheme || '://'
        || regexp_replace(p.host, case p.scheme when 'http' then ':(80)?$' else ':(443)?$' end, '')
        || case when p.rest like '/%' then '' else '/' end
        || p.rest
    from (
        select lower(m[1]) as scheme, lower(m[2]) as host, coalesce(m[3], '') as rest
        from regexp_match(
            btrim(tidy_url.url, E' \t\r\n'),
            '^(https?)://([^/?#@[:space:]\\]+)([/?][^#[:cntrl:]]*)?(?:#[^[:cntrl:]]*)?$', 'i'
        ) as m
    ) as p
    where length(tidy_url.url) <= 2000;
$func$;

comment on function intake.tidy_url is
'An address in one spelling: lower-case scheme and host, no default port, no fragment; NULL when it is no address of the web.';
