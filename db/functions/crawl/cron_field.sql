-- crawl.cron_field
-- The numbers a field of a schedule names: *, 5, 1-5, */10, 8-18/2 and lists of these.
--
-- called by  crawl.next_run
-- raises     WC003 a field that names no numbers

create or replace function crawl.cron_field(field text, lowest integer, highest integer)
returns integer[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _part text;
    _match text[];
    _first integer;
    _last integer;
    _numbers integer[] := '{}';
begin
    foreach _part in array string_to_array(cron_field.field, ',') loop
        -- at most four digits: more would not fit into an integer
        _match := regexp_match(_part, '^(?:\*|(\d{1,4})(?:-(\d{1,4}))?)(?:/(\d{1,4}))?$');
        _first := coalesce(_match[1]::integer, cron_field.lowest);
        _last := case
            when _match[2] is not null then _match[2]::integer
            when _match[1] is null or _match[3] is not null then cron_field.highest
            else _first
        end;
        if _match is null
            or _first not between cron_field.lowest and cron_field.highest
            or _last not between _first and cron_field.highest
            or coalesce(_match[3]::integer, 1) = 0
        then
            raise exception 'a schedule cannot have "%" where %-% is meant',
                left(_part, 20), cron_field.lowest, cron_field.highest
                using errcode = 'WC003',
                      hint = 'Write numbers, *, ranges (1-5), steps (*/2) and lists (1,15).';
        end if;
        _numbers := _numbers || array(
            select g.n
            from generate_series(_first, _last, coalesce(_match[3]::integer, 1)) as g (n)
        );
    end loop;
    return array(select distinct u.n from unnest(_numbers) as u (n) order by u.n);
end;
$func$;

comment on function crawl.cron_field is
'The numbers a field of a schedule names: *, 5, 1-5, */10, 8-18/2 and lists of these.';
