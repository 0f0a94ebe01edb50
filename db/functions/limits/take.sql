-- limits.take
-- Use a limit once for a subject; returns how long to wait when it is used up, else NULL.
--
-- A full measure lets one more in each time a part of it has run out, so that there is no instant at
-- which everybody may start again. Whoever is refused only reads: hammering makes no row busy. Two
-- at once are counted one after the other, and never let in together what fits once.
--
-- definer because  the app counts, but neither reads nor clears what was counted
-- called by  app/access/calls.py, account.start_sign_in, account.start_password_check,
--            account.start_registration
-- writes     limits.bucket
-- locks      the row of the subject, while one more fits
-- raises     LI001 unknown limit, ST002 unusable setting

create or replace function limits.take(rule text, subject text)
returns interval
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _rule limits.rule;
    _many integer;
    _each interval;
    _key bytea := sha256(convert_to(coalesce(take.subject, ''), 'UTF8'));
    _now timestamptz := clock_timestamp();
    _full_at timestamptz;
    _empty_at timestamptz;
begin
    select r.* into _rule from limits.rule as r where r.rule = take.rule;
    if not found then
        raise exception 'there is no limit "%"', left(take.rule, 40)
            using errcode = 'LI001', hint = 'See: select rule, meaning from limits.rule;';
    end if;
    _many := config.value(_rule.setting)::integer;
    -- a standby cannot count, and lets in what its primary would
    if _many = 0 or pg_is_in_recovery() then
        return null;
    end if;
    _each := _rule.per / _many;
    -- one more fits while no more is in it than this
    _full_at := _now + _rule.per - _each;
    select b.empty_at into _empty_at
    from limits.bucket as b
    where b.rule = take.rule and b.subject = _key;
    if _empty_at > _full_at then
        return _empty_at - _full_at;
    end if;
    insert into limits.bucket as b (rule, subject, empty_at)
    values (take.rule, _key, _now + _each)
    on conflict on constraint bucket_pkey do update
    set empty_at = greatest(b.empty_at, _now) + _each
    where b.empty_at <= _full_at;
    if found then
        return null;
    end if;
    -- others took what was left in the meantime
    return _each;
end;
$func$;

comment on function limits.take is
'Use a limit once for a subject; returns how long to wait when it is used up, else NULL.';
