-- account.set_disabled
-- Shut somebody out, which ends all their sessions, or let them in again.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.person, account.session, audit.event
-- locks      the person, and the admins when somebody is shut out
-- raises     PE005 the last admin, PE006 no such person

create or replace function account.set_disabled(
    person_id uuid,
    disabled boolean,
    actor text default null
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    if set_disabled.disabled then
        perform account.keep_an_admin(set_disabled.person_id);
    end if;
    perform account.refuse_unknown(set_disabled.person_id);
    update account.person as p
    set disabled_at = case when set_disabled.disabled then now() end
    where
        p.person_id = set_disabled.person_id
        and (p.disabled_at is not null) is distinct from set_disabled.disabled;
    if not found then
        return;
    end if;
    if set_disabled.disabled then
        perform account.end_sessions(set_disabled.person_id, 'disabled');
    end if;
    perform audit.write_event(
        case when set_disabled.disabled then 'person_disabled' else 'person_enabled' end,
        'person ' || set_disabled.person_id, '{}', set_disabled.actor
    );
end;
$func$;

comment on function account.set_disabled is
'Shut somebody out, which ends all their sessions, or let them in again.';
