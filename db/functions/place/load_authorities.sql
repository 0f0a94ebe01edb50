-- place.load_authorities
-- Add or correct education authorities and who succeeded whom; returns how many rows were read.
--
-- called by  ingest/packs/calls.py
-- writes     place.authority, place.authority_successor
-- raises     PL004 a row that cannot be an authority

create or replace function place.load_authorities(rows jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _bad text;
    _successor text;
begin
    select r.value ->> 'gss' into _bad
    from jsonb_array_elements(load_authorities.rows) as r (value)
    where
        coalesce(r.value ->> 'gss', '') !~ '^[A-Z][0-9]{8}$'
        or coalesce(r.value ->> 'name', '') !~ '\S'
        or coalesce(r.value ->> 'status', 'live') not in ('live', 'ended')
        or coalesce(r.value ->> 'dfe_code', '000') !~ '^[0-9]{3}$'
    limit 1;
    if found then
        raise exception 'authority row "%" is not usable', left(coalesce(_bad, 'without code'), 40)
            using errcode = 'PL004',
                  hint = 'Each row needs gss (E08000025), name, dfe_code (330) and status live or ended.';
    end if;
    select r.value ->> 'gss' into _bad
    from jsonb_array_elements(load_authorities.rows) as r (value)
    group by r.value ->> 'gss'
    having count(*) > 1
    limit 1;
    if found then
        raise exception 'authority "%" is listed twice', _bad
            using errcode = 'PL004', hint = 'Keep one row for each code.';
    end if;
    insert into place.authority as a
        (gss, dfe_code, name, kind, region, status, start_date, end_date, website)
    select
        r.gss, r.dfe_code, r.name, coalesce(r.kind, ''), coalesce(r.region, ''),
        coalesce(r.status, 'live'), r.start_date, r.end_date, r.website
    from jsonb_to_recordset(load_authorities.rows) as r (
        gss text, dfe_code text, name text, kind text, region text, status text,
        start_date date, end_date date, website text
    )
    on conflict (gss) do update set
        dfe_code = excluded.dfe_code, name = excluded.name, kind = excluded.kind,
        region = excluded.region, status = excluded.status, start_date = excluded.start_date,
        end_date = excluded.end_date, website = excluded.website;
    delete from place.authority_successor as s
    using jsonb_array_elements(load_authorities.rows) as r (value)
    where s.gss = r.value ->> 'gss';
    for _bad, _successor in
        select distinct r.value ->> 'gss', s.successor
        from jsonb_array_elements(load_authorities.rows) as r (value)
        cross join lateral jsonb_array_elements_text(
            case when jsonb_typeof(r.value -> 'successors') = 'array'
                then r.value -> 'successors' else '[]' end
        ) as s (successor)
    loop
        if _successor is null or _successor = _bad
            or not exists (select from place.authority as a where a.gss = _successor)
        then
            raise exception 'authority "%" cannot be followed by "%"',
                _bad, left(_successor, 40)
                using errcode = 'PL004',
                      hint = 'A successor is another authority, with a row of its own.';
        end if;
        insert into place.authority_successor (gss, successor_gss) values (_bad, _successor);
    end loop;
    -- following the successors must come to an end
    with recursive onward as (
        select s.gss, s.successor_gss as reached from place.authority_successor as s
        union
        select o.gss, s.successor_gss
        from onward as o
        inner join place.authority_successor as s on o.reached = s.gss
    )

    select o.gss into _bad from onward as o where o.reached = o.gss order by o.gss limit 1;
    if found then
        raise exception 'authority "%" would succeed itself', _bad
            using errcode = 'PL004', hint = 'Take the older code out of the successors.';
    end if;
    return jsonb_array_length(load_authorities.rows);
end;
$func$;

comment on function place.load_authorities is
'Add or correct education authorities and who succeeded whom; returns how many rows were read.';
