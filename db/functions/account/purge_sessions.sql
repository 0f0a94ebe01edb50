-- account.purge_sessions
-- Remove the sessions that ended or ran out some while ago, with their tokens; returns how many.
--
-- They are kept for a while, so that a stolen token that comes late is still recognised.
--
-- called by  privacy.purge
-- writes     account.session, account.refresh_token

create or replace function account.purge_sessions(keep interval default '30 days')
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _purged integer;
begin
    delete from account.session as s
    where least(s.expires_at, s.revoked_at) < now() - purge_sessions.keep;
    get diagnostics _purged = row_count;
    return _purged;
end;
$func$;

comment on function account.purge_sessions is
'Remove the sessions that ended or ran out some while ago, with their tokens; returns how many.';
