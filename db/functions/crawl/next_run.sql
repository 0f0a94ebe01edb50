-- crawl.next_run
-- The first instant after another that a schedule names; NULL for no schedule, or none within four years.
--
-- Five fields as in cron: minute, hour, day of the month, month, day of the week (0 or 7 is
-- Sunday); a day named in both ways is either of them. Names of days and months are not known.
-- The clock is that of the zone: an hour that it skips or repeats is taken once.
--
-- called by  crawl.set_site, crawl.start_due
-- raises     WC003 a schedule that cannot be used

create or replace function crawl.next_run(
    schedule text,
    after timestamptz,
    time_zone text default 'UTC'
)
returns timestamptz
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _fields text[] := regexp_split_to_array(btrim(next_run.schedule), '\s+');
    _minutes integer[];
    _hours integer[];
    _days integer[];
    _months integer[];
    _weekdays integer[];
    _found timestamptz;
begin
    if next_run.schedule is null then
        return null;
    end if;
    if cardinality(_fields) <> 5 then
        raise exception 'a schedule of % fields', cardinality(_fields)
            using errcode = 'WC003',
                  hint = 'Give five: minute hour day month weekday, e.g. 0 3 * * 1 for Monday 3:00.';
    end if;
    if not exists (
        select from pg_timezone_names as z where z.name = next_run.time_zone
    ) then
        raise exception 'time zone "%" is not known', left(next_run.time_zone, 40)
            using errcode = 'WC003', hint = 'See: select name from pg_timezone_names;';
    end if;
    _minutes := crawl.cron_field(_fields[1], 0, 59);
    _hours := crawl.cron_field(_fields[2], 0, 23);
    _days := crawl.cron_field(_fields[3], 1, 31);
    _months := crawl.cron_field(_fields[4], 1, 12);
    _weekdays := array(
        select n % 7 from unnest(crawl.cron_field(_fields[5], 0, 7)) as u (n)
    );
    -- one day after the other; a leap day is four years away at most
    for _day in 0 .. 1462 loop
        select min(t.instant) into _found
        from (
            select (d.day + make_time(h.h, m.m, 0)) at time zone next_run.time_zone as instant
            from (
                select (next_run.after at time zone next_run.time_zone)::date + _day as day
            ) as d
            cross join unnest(_hours) as h (h)
            cross join unnest(_minutes) as m (m)
            where
                extract(month from d.day)::integer = any(_months)
                and case
                    when _fields[3] like '*%' or _fields[5] like '*%' then
                        extract(day from d.day)::integer = any(_days)
                        and extract(dow from d.day)::integer = any(_weekdays)
                    else
                        extract(day from d.day)::integer = any(_days)
                        or extract(dow from d.day)::integer = any(_weekdays)
                end
        ) as t
        where t.instant > next_run.after;
        exit when _found is not null;
    end loop;
    return _found;
end;
$func$;

comment on function crawl.next_run is
'The first instant after another that a schedule names; NULL for no schedule, or none within four years.';
