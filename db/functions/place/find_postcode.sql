-- place.find_postcode
-- The education authority that answers for a postcode, or the reason why none can be told: malformed, unknown, several or ended.
--
-- One row, always. A sector or an outward code has an authority when all its postcodes share one.
-- A postcode that has ended still tells its authority: who may rely on it is the caller's choice.
--
-- called by  place.find_authority, place.authority_of_postcode, place.merge_schools,
--            public.resolve_la
-- raises     nothing

create or replace function place.find_postcode(
    postcode text,
    out la_code text,
    out problem text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _code text := place.fold_postcode(find_postcode.postcode);
    _lad_gss text;
    _ended boolean;
    _authorities text[];
begin
    if coalesce(find_postcode.postcode, '') !~ '\S' then
        return;
    elsif _code is null then
        problem := 'malformed';
    elsif _code ~ ' ..' then
        select s.lad_gss, right(_code, 2) = any(s.ended_units) into _lad_gss, _ended
        from place.postcode_sector as s
        where s.sector = left(_code, -2) and right(_code, 2) = any(s.units || s.ended_units);
        la_code := (select a.la_code from place.find_authority(_lad_gss) as a);
        problem := case when la_code is null then 'unknown' when _ended then 'ended' end;
    else
        select array_agg(distinct a.la_code) into _authorities
        from (
            select distinct s.lad_gss
            from place.postcode_sector as s
            where
                s.sector = _code
                or (s.sector >= _code || ' 0' and s.sector <= _code || ' 9')
        ) as d
        cross join lateral place.find_authority(d.lad_gss) as a;
        if cardinality(_authorities) = 1 then
            la_code := _authorities[1];
        end if;
        problem := case
            when cardinality(_authorities) > 1 then 'several'
            when la_code is null then 'unknown'
        end;
    end if;
end;
$func$;

comment on function place.find_postcode is
'The education authority that answers for a postcode, or the reason why none can be told: malformed, unknown, several or ended.';
