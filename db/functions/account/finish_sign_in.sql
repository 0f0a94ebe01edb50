-- account.finish_sign_in
-- Start a session after the password was checked against the hash that still holds; no row when it was wrong, or the person may not sign in.
--
-- verified_hash is NULL when the password was wrong. A hash that changed while it was checked is
-- wrong, too. With better_hash the same password is kept at today's cost.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     account.session, account.refresh_token, account.password, audit.event, limits.bucket
-- locks      the person, shared
-- raises     PE009 not a hash, ST002 unusable setting

create or replace function account.finish_sign_in(
    person_id uuid,
    verified_hash text,
    token_hash bytea,
    better_hash text default null
)
returns table (session_id uuid, role text, expires_at timestamptz)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _person account.person;
begin
    select p.* into _person
    from account.person as p
    inner join account.password as h on p.person_id = h.person_id
    where
        p.person_id = finish_sign_in.person_id
        and h.hash = finish_sign_in.verified_hash
        and p.disabled_at is null
    for share of p;
    if not found then
        perform audit.write_event('sign_in_refused', 'person ' || p.person_id)
        from account.person as p
        where p.person_id = finish_sign_in.person_id;
        return;
    end if;
    if finish_sign_in.better_hash is not null then
        -- unless another sign-in did it, or the password was changed
        update account.password as h
        set hash = finish_sign_in.better_hash
        where h.person_id = _person.person_id and h.hash = finish_sign_in.verified_hash;
    end if;
    insert into account.session as s (person_id, expires_at)
    values (
        _person.person_id,
        now() + make_interval(days => config.value('kb.session_days')::integer)
    )
    returning s.session_id, s.expires_at into session_id, expires_at;
    insert into account.refresh_token as t (token_hash, session_id)
    values (finish_sign_in.token_hash, finish_sign_in.session_id);
    perform limits.forget('sign_in_email', _person.email);
    perform audit.write_event(
        'signed_in', 'person ' || _person.person_id, '{}', 'person:' || _person.person_id
    );
    role := _person.role;
    return next;
end;
$func$;

comment on function account.finish_sign_in is
'Start a session after the password was checked against the hash that still holds; no row when it was wrong, or the person may not sign in.';
