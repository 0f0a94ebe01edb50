-- account.sign_out_everywhere
-- End all sessions of a person; returns how many.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.session, audit.event

create or replace function account.sign_out_everywhere(person_id uuid)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _ended integer := account.end_sessions(
        sign_out_everywhere.person_id, 'signed_out_everywhere'
    );
begin
    perform audit.write_event(
        'signed_out_everywhere', 'person ' || sign_out_everywhere.person_id,
        jsonb_build_object('sessions', _ended), 'person:' || sign_out_everywhere.person_id
    );
    return _ended;
end;
$func$;

comment on function account.sign_out_everywhere is
'End all sessions of a person; returns how many.';
