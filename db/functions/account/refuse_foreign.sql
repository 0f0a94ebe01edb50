-- account.refuse_foreign
-- Refuse a child that is not this persons, as if it did not exist.
--
-- called by  account.change_child, account.remove_child, account.place_of,
--            chat.start_turn, chat.context_of
-- raises     PE007 no such child

create or replace function account.refuse_foreign(person_id uuid, child_id uuid)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform
    from account.child as c
    where c.child_id = refuse_foreign.child_id and c.person_id = refuse_foreign.person_id;
    if not found then
        raise exception 'there is no such child'
            using errcode = 'PE007', hint = 'See the children on your own profile.';
    end if;
end;
$func$;

comment on function account.refuse_foreign is
'Refuse a child that is not this persons, as if it did not exist.';
