-- account.list_people
-- People by the age of their accounts, a page at a time: those after the last one seen.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- raises     PE003 unknown role, PE010 a page of no size

create or replace function account.list_people(
    with_role text default null,
    with_email text default null,
    after uuid default null,
    page_size integer default 50
)
returns table (
    person_id uuid,
    email text,
    role text,
    school_urn text,
    created_at timestamptz,
    disabled_at timestamptz
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    if list_people.with_role is not null then
        perform account.check_role(list_people.with_role);
    end if;
    if list_people.page_size is null or list_people.page_size not between 1 and 200 then
        raise exception 'page_size is out of range'
            using errcode = 'PE010', hint = 'Ask for 1 to 200 people.';
    end if;
    return query
    select p.person_id, p.email, p.role, p.school_urn, p.created_at, p.disabled_at
    from account.person as p
    where
        (list_people.with_role is null or p.role = list_people.with_role)
        -- no pattern: what somebody types is searched for as it is
        and (list_people.with_email is null or strpos(p.email, lower(btrim(list_people.with_email))) > 0)
        and (
            list_people.after is null
            or (p.created_at, p.person_id) > (
                select a.created_at, a.person_id
                from account.person as a
                where a.person_id = list_people.after
            )
        )
    order by p.created_at, p.person_id
    limit list_people.page_size;
end;
$func$;

comment on function account.list_people is
'People by the age of their accounts, a page at a time: those after the last one seen.';
