-- validation.family_of
-- Every code under which an authority's documents may stand, also of one that was split; none for NULL.
--
-- called by  validation.weigh_version, validation.start_run
-- raises     PL001 unknown authority

create or replace function validation.family_of(la_code text)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if family_of.la_code is null then
        return '{}';
    end if;
    return place.authority_family(family_of.la_code);
exception when sqlstate 'PL003' then
    -- its documents stay under the old code
    return array[upper(btrim(family_of.la_code))];
end;
$func$;

comment on function validation.family_of is
'Every code under which an authority''s documents may stand, also of one that was split; none for NULL.';
