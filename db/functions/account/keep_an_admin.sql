-- account.keep_an_admin
-- Refuse to take the last admin away, counted one at a time.
--
-- called by  account.set_role, account.set_disabled, privacy.erase_person
-- locks      the admins who may sign in
-- raises     PE005 the last admin

create or replace function account.keep_an_admin(person_id uuid)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _admins uuid[];
begin
    -- two admins who demote each other at once must not both succeed
    select coalesce(array_agg(a.person_id), '{}') into _admins
    from (
        select p.person_id
        from account.person as p
        where p.role = 'admin' and p.disabled_at is null
        order by p.person_id
        for no key update
    ) as a;
    if _admins = array[keep_an_admin.person_id] then
        raise exception 'this is the last admin'
            using errcode = 'PE005', hint = 'Make somebody else an admin first.';
    end if;
end;
$func$;

comment on function account.keep_an_admin is
'Refuse to take the last admin away, counted one at a time.';
