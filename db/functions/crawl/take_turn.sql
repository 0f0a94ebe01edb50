-- crawl.take_turn
-- Reserve the next request to the host of an address, for those who fetch single pages; returns how long to wait before it.
--
-- A wait that is longer than most is told and nothing is reserved: come back then. Only hosts that
-- runs know have a turn; any other may be asked at once.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.host
-- locks      the host, for the statement

create or replace function crawl.take_turn(url text, most interval default '10 seconds')
returns interval
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _host crawl.host;
    _wait interval;
begin
    select h.* into _host
    from crawl.host as h
    where h.host = crawl.host_of(take_turn.url)
    for update;
    if not found then
        return interval '0';
    end if;
    _wait := case
        when _host.next_at > clock_timestamp() then _host.next_at - clock_timestamp()
        else interval '0'
    end;
    if _wait <= take_turn.most then
        update crawl.host as h
        set next_at = clock_timestamp() + _wait + greatest(h.site_delay, h.robots_delay)
        where h.host = _host.host;
    end if;
    return _wait;
end;
$func$;

comment on function crawl.take_turn is
'Reserve the next request to the host of an address, for those who fetch single pages; returns how long to wait before it.';
