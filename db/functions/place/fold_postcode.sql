-- place.fold_postcode
-- One spelling of a postcode (B1 1AA), of a sector (B1 1) or of an outward code (B1); NULL for what can be none of them.
--
-- Case, blanks of any kind, dots and hyphens do not count. A letter O and a nought are taken for
-- each other only where the other could not stand. B11 is an outward code, B1 1 a sector.
--
-- called by  place.find_postcode, place.merge_postcodes, place.merge_schools,
--            account.child_facts
-- raises     nothing

create or replace function place.fold_postcode(postcode text)
returns text
language plpgsql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _typed text;
    _joined text;
    _outward text;
    _inward text;
begin
    -- no postcode is this long, and nobody should wait for a pasted page to be looked at
    if length(fold_postcode.postcode) > 100 then
        return null;
    end if;
    -- compatibility forms first: a no-break space is a space, wide letters are letters
    _typed := upper(btrim(regexp_replace(
        regexp_replace(
            normalize(fold_postcode.postcode, nfkc),
            E'[.\u00ad\u2010-\u2015\u200b-\u200f\u2060\ufeff-]', '', 'g'
        ),
        '\s+', ' ', 'g'
    )));
    _joined := replace(_typed, ' ', '');
    if _typed ~ '^[A-Z0-9]{2,4} [0-9O]$' then
        _outward := left(_joined, -1);
        _inward := right(_joined, 1);
    elsif length(_joined) between 5 and 7 then
        _outward := left(_joined, -3);
        _inward := right(_joined, 3);
    else
        _outward := _joined;
        _inward := '';
    end if;
    _inward := regexp_replace(_inward, '^O', '0');
    -- an area starts with a letter; no district starts with a nought and goes on; a third letter
    -- is no area's; no district ends in O
    _outward := regexp_replace(_outward, '^0', 'O');
    _outward := regexp_replace(_outward, '^([A-Z])0([0-9])', '\1O\2');
    _outward := regexp_replace(_outward, '^([A-Z]{2})O', '\10');
    _outward := regexp_replace(_outward, '([0-9])O$', '\10');
    if _outward !~ '^[A-Z]{1,2}([0-9]|[1-9][A-Z0-9])$' or _inward !~ '^([0-9]([A-Z]{2})?)?$' then
        return null;
    end if;
    return btrim(_outward || ' ' || _inward);
end;
$func$;

comment on function place.fold_postcode is
'One spelling of a postcode (B1 1AA), of a sector (B1 1) or of an outward code (B1); NULL for what can be none of them.';
