-- place.find_school
-- A school as it is today: itself, or the one open school that followed a closed one; or the reason why it cannot be used: malformed, unknown, closed or split.
--
-- One row, always. Split means that its authority was, and that its postcode does not tell which
-- of the successors has it now.
--
-- called by  public.resolve_la
-- raises     nothing

create or replace function place.find_school(
    urn text,
    out school_urn text,
    out la_code text,
    out problem text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _urn text := btrim(find_school.urn);
    _open text[];
begin
    if coalesce(_urn, '') = '' then
        return;
    elsif _urn !~ '^[0-9]{6}$' then
        problem := 'malformed';
        return;
    elsif not exists (select from place.school as s where s.urn = _urn) then
        problem := 'unknown';
        return;
    end if;
    with recursive reached_school as (
        select s.urn, s.status from place.school as s where s.urn = _urn
        union
        select n.urn, n.status
        from reached_school as r
        inner join place.school_successor as l on r.urn = l.urn
        inner join place.school as n on l.successor_urn = n.urn
        -- an open school is the end, whoever is to follow it
        where r.status = 'closed'
    )

    select array_agg(r.urn) into _open from reached_school as r where r.status = 'open';
    if _open is null or cardinality(_open) > 1 then
        problem := 'closed';
        return;
    end if;
    school_urn := _open[1];
    select a.la_code into la_code
    from place.school as s
    cross join lateral place.find_authority(s.la_code, s.postcode) as a
    where s.urn = _open[1];
    if la_code is null then
        school_urn := null;
        problem := 'split';
    end if;
end;
$func$;

comment on function place.find_school is
'A school as it is today: itself, or the one open school that followed a closed one; or the reason why it cannot be used: malformed, unknown, closed or split.';
