-- account.remove_child
-- Take a child off a profile.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.child
-- raises     PE007 no such child of this person

create or replace function account.remove_child(person_id uuid, child_id uuid)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform account.refuse_foreign(remove_child.person_id, remove_child.child_id);
    delete from account.child as c
    where c.child_id = remove_child.child_id and c.person_id = remove_child.person_id;
end;
$func$;

comment on function account.remove_child is
'Take a child off a profile.';
