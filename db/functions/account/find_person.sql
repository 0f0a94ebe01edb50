-- account.find_person
-- The person of an e-mail address.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- raises     PE001 not an e-mail address, PE006 no such person

create or replace function account.find_person(email text)
returns uuid
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _email text := account.fold_email(find_person.email);
    _person_id uuid;
begin
    select p.person_id into _person_id from account.person as p where p.email = _email;
    if not found then
        raise exception 'there is no such person'
            using errcode = 'PE006', hint = 'Look at the list of people: the account may be gone.';
    end if;
    return _person_id;
end;
$func$;

comment on function account.find_person is
'The person of an e-mail address.';
