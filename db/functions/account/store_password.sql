-- account.store_password
-- Keep the hash of a new password.
--
-- called by  account.add_person, account.change_password, account.set_password
-- writes     account.password
-- raises     PE009 not a hash of argon2id

create or replace function account.store_password(person_id uuid, password_hash text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if store_password.password_hash is null
        or store_password.password_hash !~ '^\$argon2id\$v=19\$[!-~]{20,250}$'
    then
        -- a password in clear must not get here, and must not be repeated if it does
        raise exception 'this is no hash of a password'
            using errcode = 'PE009', hint = 'Give the encoded form of argon2id.';
    end if;
    insert into account.password (person_id, hash)
    values (store_password.person_id, store_password.password_hash)
    on conflict on constraint password_pkey do update
    set hash = excluded.hash, changed_at = now();
end;
$func$;

comment on function account.store_password is
'Keep the hash of a new password.';
