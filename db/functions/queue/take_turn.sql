-- queue.take_turn
-- Reserve the next call to a provider within what all workers together may ask of it; returns how long to wait before it.
--
-- Calls are spread evenly. The wait happens outside: no transaction is open while it lasts. A
-- caller that dies meanwhile wastes one turn.
--
-- called by  ingest/queue/calls.py
-- writes     queue.provider_rate
-- locks      the row of the provider, for the statement

create or replace function queue.take_turn(provider text)
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
    update queue.provider_rate as r
    set next_at = greatest(r.next_at, clock_timestamp()) + interval '1 minute' / r.calls_per_minute
    where r.provider = take_turn.provider
    returning r.next_at - interval '1 minute' / r.calls_per_minute into _turn;
    return greatest(interval '0', coalesce(_turn - clock_timestamp(), interval '0'));
end;
$func$;

comment on function queue.take_turn is
'Reserve the next call to a provider within what all workers together may ask of it; returns how long to wait before it.';
