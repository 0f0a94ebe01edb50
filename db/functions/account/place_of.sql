-- account.place_of
-- Whose rules hold for somebody: resolve_la with what is on the profile, and with the child a conversation is about.
--
-- The order of the steps is resolve_la's own. Of a person who is gone, or of nobody (NULL), nothing
-- is known: then la and postcode alone decide.
--
-- called by  chat.context_of
-- raises     PE007 no such child of this person, PL001 unknown authority, PL003 split authority

create or replace function account.place_of(
    person_id uuid,
    child_id uuid default null,
    la text default null,
    postcode text default null
)
returns table (
    la_code text,
    local_authority text,
    school_urn text,
    home_la_code text,
    home_la_name text,
    source text,
    notes text[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _child account.child;
    _first account.child;
    _school_urn text;
begin
    if place_of.child_id is not null then
        perform account.refuse_foreign(place_of.person_id, place_of.child_id);
        select c.* into _child from account.child as c where c.child_id = place_of.child_id;
    end if;
    select c.* into _first
    from account.child as c
    where c.person_id = place_of.person_id
    order by c.created_at, c.child_id
    limit 1;
    select p.school_urn into _school_urn
    from account.person as p
    where p.person_id = place_of.person_id;
    return query
    select r.la_code, r.local_authority, r.school_urn, r.home_la_code, r.home_la_name, r.source,
        r.notes
    from public.resolve_la(
        la => place_of.la,
        child_urn => _child.school_urn,
        child_postcode => _child.postcode,
        user_urn => _school_urn,
        first_child_urn => _first.school_urn,
        first_child_postcode => _first.postcode,
        postcode => place_of.postcode
    ) as r;
end;
$func$;

comment on function account.place_of is
'Whose rules hold for somebody: resolve_la with what is on the profile, and with the child a conversation is about.';
