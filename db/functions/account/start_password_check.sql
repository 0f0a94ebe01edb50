-- account.start_password_check
-- The hash to check the password of somebody signed in against, or how long to wait; neither when the person is gone.
--
-- Counted as a sign-in: a stolen access token is no way to try passwords.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     limits.bucket
-- raises     ST002 unusable setting

create or replace function account.start_password_check(person_id uuid)
returns table (wait interval, password_hash text)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    select limits.take('sign_in_email', p.email), h.hash into wait, password_hash
    from account.person as p
    inner join account.password as h on p.person_id = h.person_id
    where p.person_id = start_password_check.person_id and p.disabled_at is null;
    if wait is not null then
        password_hash := null;
    end if;
    return next;
end;
$func$;

comment on function account.start_password_check is
'The hash to check the password of somebody signed in against, or how long to wait; neither when the person is gone.';
