-- account.refuse_unknown
-- Refuse a person who does not exist; locks the one who does against being forgotten meanwhile.
--
-- called by  account.*, chat.start_turn
-- locks      the person
-- raises     PE006 no such person

create or replace function account.refuse_unknown(person_id uuid)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform from account.person as p where p.person_id = refuse_unknown.person_id for no key update;
    if not found then
        raise exception 'there is no such person'
            using errcode = 'PE006', hint = 'Look at the list of people: the account may be gone.';
    end if;
end;
$func$;

comment on function account.refuse_unknown is
'Refuse a person who does not exist; locks the one who does against being forgotten meanwhile.';
