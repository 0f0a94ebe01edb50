-- crawl.http_date
-- The instant a Last-Modified header means; NULL when it means none, or one no page can have.
--
-- called by  crawl.note_answer
-- raises     nothing

create or replace function crawl.http_date(header text)
returns timestamptz
language plpgsql
stable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _match text[];
    _found timestamptz;
begin
    _match := regexp_match(
        btrim(http_date.header),
        '^[A-Z][a-z]{2}, (\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|UTC)$'
    );
    if _match is not null then
        _found := make_timestamptz(
            _match[3]::integer,
            array_position(
                array['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
                _match[2]
            ),
            _match[1]::integer, _match[4]::integer, _match[5]::integer,
            _match[6]::double precision, 'UTC'
        );
    elsif http_date.header ~ '^\s*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)\s*$' then
        _found := btrim(http_date.header)::timestamptz;
    end if;
    -- before the web, and the epoch of a clock that was never set
    return case when _found between '1991-01-01' and now() + interval '1 day' then _found end;
exception when data_exception then
    return null;
end;
$func$;

comment on function crawl.http_date is
'The instant a Last-Modified header means; NULL when it means none, or one no page can have.';
