-- account.session_role
-- The role of somebody in a session just now; NULL when the session or the person may do nothing any more.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py

create or replace function account.session_role(person_id uuid, session_id uuid)
returns text
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
    select p.role
    from account.session as s
    inner join account.person as p on s.person_id = p.person_id
    where
        s.session_id = session_role.session_id
        and s.person_id = session_role.person_id
        and s.revoked_at is null
        and s.expires_at > now()
        and p.disabled_at is null;
$func$;

comment on function account.session_role is
'The role of somebody in a session just now; NULL when the session or the person may do nothing any more.';
