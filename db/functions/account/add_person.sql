-- account.add_person
-- Make an account; returns its person.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  account.register, app/access/calls.py
-- writes     account.person, account.password, audit.event
-- raises     PE001 not an e-mail address, PE002 the address has an account, PE003 unknown role,
--            PE009 not a hash, PL002 unknown school

create or replace function account.add_person(
    email text,
    role text,
    password_hash text,
    school_urn text default null,
    actor text default null
)
returns uuid
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _email text := account.fold_email(add_person.email);
    _urn text := nullif(btrim(add_person.school_urn), '');
    _person_id uuid;
begin
    perform account.check_role(add_person.role), place.check_school(_urn);
    insert into account.person (email, role, school_urn)
    values (_email, add_person.role, _urn)
    on conflict on constraint person_once_per_email do nothing
    returning person_id into _person_id;
    if _person_id is null then
        raise exception 'this e-mail address has an account'
            using errcode = 'PE002', hint = 'Sign in with it, or use another address.';
    end if;
    perform account.store_password(_person_id, add_person.password_hash);
    perform audit.write_event(
        'person_added', 'person ' || _person_id,
        jsonb_build_object('role', add_person.role), add_person.actor
    );
    return _person_id;
end;
$func$;

comment on function account.add_person is
'Make an account; returns its person.';
