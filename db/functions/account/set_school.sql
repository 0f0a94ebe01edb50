-- account.set_school
-- Note the school somebody works at; NULL is none.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.person
-- raises     PE006 no such person, PL002 unknown school

create or replace function account.set_school(person_id uuid, school_urn text)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _urn text := nullif(btrim(set_school.school_urn), '');
begin
    perform account.refuse_unknown(set_school.person_id), place.check_school(_urn);
    update account.person as p
    set school_urn = _urn
    where p.person_id = set_school.person_id;
end;
$func$;

comment on function account.set_school is
'Note the school somebody works at; NULL is none.';
