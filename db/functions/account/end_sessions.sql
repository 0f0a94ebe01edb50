-- account.end_sessions
-- End sessions of a person, all but the one to keep; returns how many.
--
-- called by  account.sign_out_everywhere, account.change_password, account.set_password,
--            account.set_disabled
-- writes     account.session

create or replace function account.end_sessions(
    person_id uuid,
    because text,
    keep uuid default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _ended integer;
begin
    update account.session as s
    set revoked_at = now(), revoked_because = end_sessions.because
    where
        s.person_id = end_sessions.person_id
        and s.revoked_at is null
        and s.expires_at > now()
        and s.session_id is distinct from end_sessions.keep;
    get diagnostics _ended = row_count;
    return _ended;
end;
$func$;

comment on function account.end_sessions is
'End sessions of a person, all but the one to keep; returns how many.';
