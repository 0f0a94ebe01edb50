-- crawl.take_turn
-- Reserve the next request to the host of an address, for those who fetch single pages; returns how long to wait before it.
--
-- Only hosts that runs know have a turn; any other may be asked at once.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.host

create or replace function crawl.take_turn(url text)
returns interval
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _turn timestamptz;
begin
    update crawl.host as h
    set next_at = greatest(h.next_at, clock_timestamp()) + greatest(h.site_delay, h.robots_delay)
    where h.host = crawl.host_of(take_turn.url)
    returning h.next_at - greatest(h.site_delay, h.robots_delay) into _turn;
    return greatest(interval '0', coalesce(_turn - clock_timestamp(), interval '0'));
end;
$func$;

comment on function crawl.take_turn is
'Reserve the next request to the host of an address, for those who fetch single pages; returns how long to wait before it.';
