-- account.profile
-- What somebody sees of the own account; no row when it is gone or shut.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py

create or replace function account.profile(person_id uuid)
returns table (email text, role text, school_urn text, created_at timestamptz)
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
    select p.email, p.role, p.school_urn, p.created_at
    from account.person as p
    where p.person_id = profile.person_id and p.disabled_at is null;
$func$;

comment on function account.profile is
'What somebody sees of the own account; no row when it is gone or shut.';
