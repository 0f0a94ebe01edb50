-- account.change_child
-- Put other facts of a child on file: all of them, what is left out is gone.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.child
-- raises     PE007 no such child of this person, PE008 facts that cannot be kept,
--            PL002 unknown school

create or replace function account.change_child(
    person_id uuid,
    child_id uuid,
    name text default null,
    school_urn text default null,
    postcode text default null
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _facts account.child;
begin
    perform account.refuse_foreign(change_child.person_id, change_child.child_id);
    _facts := account.child_facts(
        change_child.name, change_child.school_urn, change_child.postcode
    );
    update account.child as c
    set name = _facts.name, school_urn = _facts.school_urn, postcode = _facts.postcode
    where c.child_id = change_child.child_id and c.person_id = change_child.person_id;
end;
$func$;

comment on function account.change_child is
'Put other facts of a child on file: all of them, what is left out is gone.';
