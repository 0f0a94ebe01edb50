-- account.check_role
-- Refuse a role that does not exist.
--
-- called by  account.add_person, account.set_role, account.list_people
-- raises     PE003 unknown role

create or replace function account.check_role(role text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if check_role.role is null
        or check_role.role not in ('parent', 'professional', 'curator', 'admin')
    then
        raise exception 'there is no role "%"', left(check_role.role, 40)
            using errcode = 'PE003',
                  hint = 'The roles are parent, professional, curator and admin.';
    end if;
end;
$func$;

comment on function account.check_role is
'Refuse a role that does not exist.';
