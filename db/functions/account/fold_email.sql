-- account.fold_email
-- One spelling of an e-mail address: lower case, without blanks around it.
--
-- The address is never repeated in an error: it is somebody's.
--
-- called by  account.*
-- raises     PE001 not an e-mail address

create or replace function account.fold_email(email text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _folded text := lower(normalize(btrim(fold_email.email), nfkc));
begin
    if _folded is null or length(_folded) > 254
        or _folded !~ '^[^@[:space:][:cntrl:]"(),:;<>\[\]]{1,64}@[^@[:space:][:cntrl:]"(),:;<>\[\]]+$'
    then
        raise exception 'this is not an e-mail address'
            using errcode = 'PE001', hint = 'Write it as name@example.org.';
    end if;
    return _folded;
end;
$func$;

comment on function account.fold_email is
'One spelling of an e-mail address: lower case, without blanks around it.';
