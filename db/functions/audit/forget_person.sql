-- audit.forget_person
-- Make the events about a person, and by one, say nobody's name; what was decided stays.
--
-- The index on actors holds people only, so the condition says so.
--
-- called by  privacy.erase_person
-- writes     audit.event

create or replace function audit.forget_person(person_id uuid)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    update audit.event as e
    set subject = 'person who left', detail = '{}'
    where e.subject = 'person ' || forget_person.person_id;
    update audit.event as e
    set actor = 'person who left'
    where e.actor = 'person:' || forget_person.person_id and e.actor like 'person:%';
end;
$func$;

comment on function audit.forget_person is
'Make the events about a person, and by one, say nobody''s name; what was decided stays.';
