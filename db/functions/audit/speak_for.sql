-- audit.speak_for
-- Name who acts and why until the transaction ends; returns what was named before, to be given back. NULL leaves what is named.
--
-- Every event of the transaction then carries both, also those that triggers write.
--
-- called by  functions that decide for somebody; a client may: set local audit.reason = '...'
-- writes     the settings audit.actor and audit.reason of this transaction

create or replace function audit.speak_for(actor text, reason text)
returns text[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _before text[] := array[
        coalesce(current_setting('audit.actor', true), ''),
        coalesce(current_setting('audit.reason', true), '')
    ];
begin
    perform
        set_config('audit.actor', coalesce(left(btrim(speak_for.actor), 200), _before[1]), true),
        set_config('audit.reason', coalesce(left(btrim(speak_for.reason), 1000), _before[2]), true);
    return _before;
end;
$func$;

comment on function audit.speak_for is
'Name who acts and why until the transaction ends; returns what was named before, to be given back. NULL leaves what is named.';
