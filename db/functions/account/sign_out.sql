-- account.sign_out
-- End the session of a refresh token; returns whether it was going on.
--
-- Holding a token of it is enough: also one that was used, and without an access token, which may
-- have run out.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.session

create or replace function account.sign_out(token_hash bytea)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    update account.session as s
    set revoked_at = now(), revoked_because = 'signed_out'
    from account.refresh_token as t
    where
        t.token_hash = sign_out.token_hash
        and s.session_id = t.session_id
        and s.revoked_at is null;
    return found;
end;
$func$;

comment on function account.sign_out is
'End the session of a refresh token; returns whether it was going on.';
