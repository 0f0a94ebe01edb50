-- queue.set_rate
-- Say how many calls a minute all workers together may make to a provider; NULL lifts the limit.
--
-- called by  ingest/jobs/calls.py
-- writes     queue.provider_rate
-- raises     QU002 a rate that is not positive, or no provider

create or replace function queue.set_rate(provider text, calls_per_minute integer)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if nullif(btrim(set_rate.provider), '') is null
        or set_rate.calls_per_minute not between 1 and 1000000
    then
        raise exception 'a rate of % calls a minute for provider "%" makes no sense',
            set_rate.calls_per_minute, set_rate.provider
            using errcode = 'QU002', hint = 'Give a provider and 1 to 1000000 calls a minute.';
    end if;
    if set_rate.calls_per_minute is null then
        delete from queue.provider_rate as r where r.provider = btrim(set_rate.provider);
        return;
    end if;
    insert into queue.provider_rate as r (provider, calls_per_minute)
    values (btrim(set_rate.provider), set_rate.calls_per_minute)
    on conflict on constraint provider_rate_pk do update
    set calls_per_minute = excluded.calls_per_minute, next_at = '-infinity';
end;
$func$;

comment on function queue.set_rate is
'Say how many calls a minute all workers together may make to a provider; NULL lifts the limit.';
