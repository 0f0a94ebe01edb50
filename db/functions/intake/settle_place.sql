-- intake.settle_place
-- The authority that a code and a name mean together; NULL when neither is given.
--
-- called by  intake.receive_upload, app/admin/calls.py
-- raises     PL001 unknown authority, PL003 the authority was split, UL002 they name different ones

create or replace function intake.settle_place(la_code text, local_authority text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _code text := nullif(btrim(settle_place.la_code), '');
    _named text := case
        when settle_place.local_authority ~ '\S'
            then place.authority_named(settle_place.local_authority)
    end;
begin
    if _code is not null
        and _named is not null
        and place.resolve_authority(_code) <> place.resolve_authority(_named)
    then
        raise exception 'the code % and the name "%" mean two authorities',
            left(_code, 20), left(btrim(settle_place.local_authority), 60)
            using errcode = 'UL002', hint = 'Give one of the two, or correct it.';
    end if;
    return coalesce(_code, _named);
end;
$func$;

comment on function intake.settle_place is
'The authority that a code and a name mean together; NULL when neither is given.';
