-- account.refresh
-- Go on with a session: give the next refresh token for the last one. A token that comes back later ends its session.
--
-- outcome is refreshed; raced (another request used the token within kb.refresh_grace_seconds and has
-- the next one); reused (after that time: the session has ended, for whoever holds it may be a
-- thief); or refused (unknown, ended, expired, or of somebody disabled). It returns instead of
-- raising, for what it revokes must stay.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.refresh_token, account.session, audit.event
-- locks      the session
-- raises     ST002 unusable setting

create or replace function account.refresh(token_hash bytea, next_hash bytea)
returns table (outcome text, session_id uuid, person_id uuid, role text, expires_at timestamptz)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _session account.session;
    _used_at timestamptz;
begin
    outcome := 'refused';
    -- the session first: all who come with a token of one family stand in one line
    select s.* into _session
    from account.refresh_token as t
    inner join account.session as s on t.session_id = s.session_id
    where t.token_hash = refresh.token_hash
    for update of s;
    if not found or _session.revoked_at is not null or _session.expires_at <= now() then
        return next;
        return;
    end if;
    select t.used_at into _used_at
    from account.refresh_token as t
    where t.token_hash = refresh.token_hash;
    if _used_at > clock_timestamp()
        - make_interval(secs => config.value('kb.refresh_grace_seconds')::integer)
    then
        outcome := 'raced';
        return next;
        return;
    end if;
    if _used_at is not null then
        update account.session as s
        set revoked_at = now(), revoked_because = 'token_reused'
        where s.session_id = _session.session_id;
        perform audit.write_event(
            'refresh_token_reused', 'person ' || _session.person_id,
            jsonb_build_object('session', _session.session_id)
        );
        outcome := 'reused';
        return next;
        return;
    end if;
    select p.person_id, p.role into person_id, role
    from account.person as p
    where p.person_id = _session.person_id and p.disabled_at is null;
    if not found then
        return next;
        return;
    end if;
    update account.refresh_token as t
    set used_at = clock_timestamp()
    where t.token_hash = refresh.token_hash;
    insert into account.refresh_token (token_hash, session_id)
    values (refresh.next_hash, _session.session_id);
    outcome := 'refreshed';
    session_id := _session.session_id;
    expires_at := _session.expires_at;
    return next;
end;
$func$;

comment on function account.refresh is
'Go on with a session: give the next refresh token for the last one. A token that comes back later ends its session.';
