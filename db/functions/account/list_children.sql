-- account.list_children
-- The children of a person, the one added first at the head.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py

create or replace function account.list_children(person_id uuid)
returns table (child_id uuid, name text, school_urn text, postcode text)
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
    select c.child_id, c.name, c.school_urn, c.postcode
    from account.child as c
    where c.person_id = list_children.person_id
    order by c.created_at, c.child_id;
$func$;

comment on function account.list_children is
'The children of a person, the one added first at the head.';
