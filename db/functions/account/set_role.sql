-- account.set_role
-- Give somebody another role.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.person, audit.event
-- locks      the person, and the admins when one steps down
-- raises     PE003 unknown role, PE005 the last admin, PE006 no such person

create or replace function account.set_role(person_id uuid, role text, actor text default null)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _before text;
begin
    perform account.check_role(set_role.role);
    if set_role.role <> 'admin' then
        perform account.keep_an_admin(set_role.person_id);
    end if;
    perform account.refuse_unknown(set_role.person_id);
    select p.role into _before
    from account.person as p
    where p.person_id = set_role.person_id;
    if _before = set_role.role then
        return;
    end if;
    update account.person as p
    set role = set_role.role
    where p.person_id = set_role.person_id;
    perform audit.write_event(
        'role_changed', 'person ' || set_role.person_id,
        jsonb_build_object('from', _before, 'to', set_role.role), set_role.actor
    );
end;
$func$;

comment on function account.set_role is
'Give somebody another role.';
