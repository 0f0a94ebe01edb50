-- place.find_authority
-- Follow a GSS code (old or new), a district code or a three-digit DfE code to the live authority; a postcode decides where one was split.
--
-- One row, always: without named the code is not known, without la_code the authority was split
-- into successors and the postcode names none of them.
--
-- called by  place.resolve_authority, place.find_postcode, place.find_school, place.merge_schools,
--            place.merge_postcodes, search.scope_of
-- raises     nothing

create or replace function place.find_authority(
    code text,
    postcode text default null,
    out la_code text,
    out named text,
    out successors text[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _code text := upper(btrim(find_authority.code));
begin
    select a.gss into named from place.authority as a where a.gss = _code;
    if named is null then
        select d.authority_gss into named from place.district as d where d.lad_gss = _code;
    end if;
    if named is null then
        select a.gss into named
        from place.authority as a
        where a.dfe_code = _code
        order by a.status = 'live' desc, a.start_date desc nulls last
        limit 1;
    end if;
    if named is null then
        return;
    end if;
    with recursive reached_code as (
        select find_authority.named as gss
        union
        select s.successor_gss
        from place.authority_successor as s
        inner join reached_code as r on s.gss = r.gss
    )

    select array_agg(r.gss order by r.gss) into successors
    from reached_code as r
    where not exists (select from place.authority_successor as s where s.gss = r.gss);
    if cardinality(successors) = 1 then
        la_code := successors[1];
    elsif find_authority.postcode is not null then
        select f.la_code into la_code
        from place.find_postcode(find_authority.postcode) as f
        where f.la_code = any(successors);
    end if;
end;
$func$;

comment on function place.find_authority is
'Follow a GSS code (old or new), a district code or a three-digit DfE code to the live authority; a postcode decides where one was split.';
