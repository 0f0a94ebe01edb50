-- account.change_password
-- Somebody takes another password; every other session ends. False when the old one no longer holds.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.password, account.session, audit.event
-- locks      the person
-- raises     PE009 not a hash

create or replace function account.change_password(
    person_id uuid,
    verified_hash text,
    new_hash text,
    keep_session uuid default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform
    from account.person as p
    inner join account.password as h on p.person_id = h.person_id
    where
        p.person_id = change_password.person_id
        and p.disabled_at is null
        and h.hash = change_password.verified_hash
    for no key update of p, h;
    if not found then
        return false;
    end if;
    perform
        account.store_password(change_password.person_id, change_password.new_hash),
        account.end_sessions(
            change_password.person_id, 'password_changed', change_password.keep_session
        );
    perform audit.write_event(
        'password_changed', 'person ' || change_password.person_id, '{}',
        'person:' || change_password.person_id
    );
    return true;
end;
$func$;

comment on function account.change_password is
'Somebody takes another password; every other session ends. False when the old one no longer holds.';
