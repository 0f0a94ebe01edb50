-- account.add_child
-- Put a child on a profile; returns its id.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.child
-- locks      the person
-- raises     PE006 no such person, PE008 a child that cannot be kept, PL002 unknown school, ST002
--            unusable setting

create or replace function account.add_child(
    person_id uuid,
    name text default null,
    school_urn text default null,
    postcode text default null
)
returns uuid
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _facts account.child := account.child_facts(
        add_child.name, add_child.school_urn, add_child.postcode
    );
    _most integer := config.value('kb.children_per_person')::integer;
    _child_id uuid;
begin
    -- which also makes two at once count one after the other
    perform account.refuse_unknown(add_child.person_id);
    if (select count(*) from account.child as c where c.person_id = add_child.person_id) >= _most
    then
        raise exception 'there are % children on this profile already', _most
            using errcode = 'PE008', hint = 'Remove one first.';
    end if;
    insert into account.child as c (person_id, name, school_urn, postcode, created_at)
    values (
        add_child.person_id, _facts.name, _facts.school_urn, _facts.postcode, clock_timestamp()
    )
    returning c.child_id into _child_id;
    return _child_id;
end;
$func$;

comment on function account.add_child is
'Put a child on a profile; returns its id.';
