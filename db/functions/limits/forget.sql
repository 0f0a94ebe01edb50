-- limits.forget
-- Forget what a subject used of a limit.
--
-- called by  account.finish_sign_in
-- writes     limits.bucket

create or replace function limits.forget(rule text, subject text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    delete from limits.bucket as b
    where
        b.rule = forget.rule
        and b.subject = sha256(convert_to(coalesce(forget.subject, ''), 'UTF8'));
$func$;

comment on function limits.forget is
'Forget what a subject used of a limit.';
