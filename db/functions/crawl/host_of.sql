-- crawl.host_of
-- The host of an address as requests to it are counted: lower case, with a port that is not the usual one.
--
-- Unlike corpus.source_host it keeps www, which has a robots.txt of its own.
--
-- called by  crawl.add_visits, crawl.take_turn, crawl.add_sitemaps, crawl.record_robots
-- raises     nothing

create or replace function crawl.host_of(url text)
returns text
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select regexp_replace(
        p.host, case lower(p.scheme) when 'http' then ':(80)?$' else ':(443)?$' end, ''
    )
    from (
        select m[1] as scheme, lower(m[2]) as host
        from regexp_match(host_of.url, '^(https?)://(?:[^/?#@]*@)?([^/?#]+)', 'i') as m
    ) as p;
$func$;

comment on function crawl.host_of is
'The host of an address as requests to it are counted: lower case, with a port that is not the usual one.';
