-- account.start_sign_in
-- What is needed to check a password for an e-mail address: the person and the hash, neither for an unknown one, or how long to wait.
--
-- Every address is answered alike, also one that cannot be: who asks learns nothing here, and the
-- caller spends the same time on a hash whether there is one or not.
--
-- definer because  the tables of accounts are shut to the app: a statement that slipped in reads no hash
-- called by  app/access/calls.py
-- writes     limits.bucket
-- raises     ST002 unusable setting

create or replace function account.start_sign_in(email text, address text)
returns table (wait interval, person_id uuid, password_hash text)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _email text := lower(normalize(btrim(left(start_sign_in.email, 300)), nfkc));
begin
    -- both are counted, so that neither can be tried alone
    wait := greatest(
        limits.take('sign_in_email', _email),
        limits.take('sign_in_address', start_sign_in.address)
    );
    if wait is null then
        select p.person_id, h.hash into person_id, password_hash
        from account.person as p
        inner join account.password as h on p.person_id = h.person_id
        where p.email = _email;
    end if;
    return next;
end;
$func$;

comment on function account.start_sign_in is
'What is needed to check a password for an e-mail address: the person and the hash, neither for an unknown one, or how long to wait.';
