-- account.register
-- Somebody makes an account of their own, after account.start_registration; returns the person.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.person, account.password, audit.event
-- raises     PE003 a role one cannot choose, PE004 people do not make accounts here, PE001 not an
--            e-mail address, PE002 the address has an account, PE009 not a hash, PL002 unknown
--            school, ST002 unusable setting

create or replace function account.register(
    email text,
    role text,
    password_hash text,
    school_urn text default null
)
returns uuid
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform account.refuse_closed();
    if register.role is null or register.role not in ('parent', 'professional') then
        raise exception 'this role is not one to choose'
            using errcode = 'PE003', hint = 'Choose parent or professional.';
    end if;
    return account.add_person(
        register.email, register.role, register.password_hash, register.school_urn
    );
end;
$func$;

comment on function account.register is
'Somebody makes an account of their own, after account.start_registration; returns the person.';
