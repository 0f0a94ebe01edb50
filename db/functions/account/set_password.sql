-- account.set_password
-- Give somebody a new password; all their sessions end.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.password, account.session, audit.event
-- raises     PE006 no such person, PE009 not a hash

create or replace function account.set_password(
    person_id uuid,
    new_hash text,
    actor text default null
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform account.refuse_unknown(set_password.person_id);
    perform
        account.store_password(set_password.person_id, set_password.new_hash),
        account.end_sessions(set_password.person_id, 'password_changed');
    perform audit.write_event(
        'password_set', 'person ' || set_password.person_id, '{}', set_password.actor
    );
end;
$func$;

comment on function account.set_password is
'Give somebody a new password; all their sessions end.';
