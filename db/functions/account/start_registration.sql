-- account.start_registration
-- Whether somebody may make an account just now, before a hash is made for it; returns how long to wait, or NULL.
--
-- called by  app/access/calls.py
-- writes     limits.bucket
-- raises     PE004 people do not make accounts here, ST002 unusable setting

create or replace function account.start_registration(address text)
returns interval
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform account.refuse_closed();
    return limits.take('register_address', start_registration.address);
end;
$func$;

comment on function account.start_registration is
'Whether somebody may make an account just now, before a hash is made for it; returns how long to wait, or NULL.';
