-- place.merge_postcodes
-- Make the arrived postcodes the ones that are known: readers see the old set until the commit, then the new one; only sectors that differ are written.
--
-- The register is taken as whole: what it no longer has goes. One that would take away more than
-- half of what is known is refused, unless shrink says that it is meant. Postcodes of districts
-- outside the countries whose authorities are known, and those of no district, are outside.
--
-- called by  ingest/registers/calls.py
-- writes     place.postcode_sector, pg_temp.arriving_postcode
-- locks      place.postcode_sector, against other writers; readers go on
-- raises     PL008 far fewer postcodes than are known

create or replace function place.merge_postcodes(shrink boolean default false)
returns place.load_report
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- the set is sorted once, in memory where there is any
set work_mem = '128MB'
as $func$
declare
    _known bigint;
    _added bigint;
    _changed bigint;
    _closed bigint;
    _removed bigint;
    _report place.load_report;
begin
    lock table place.postcode_sector in share row exclusive mode;

    -- as published already: nearly every row
    update pg_temp.arriving_postcode as a
    set postcode = place.fold_postcode(a.postcode)
    where coalesce(a.postcode, '') !~ '^[A-Z]{1,2}([0-9]|[1-9][A-Z0-9]) [0-9][A-Z]{2}$';

    analyze pg_temp.arriving_postcode;

    create temporary table arriving_district on commit drop as
    select
        d.lad_gss,
        upper(btrim(d.lad_gss)) as code,
        case
            when f.la_code is not null and upper(btrim(d.lad_gss)) ~ '^[A-Z][0-9]{8}$' then 'known'
            when d.lad_gss !~ '\S' then 'outside'
            when left(upper(btrim(d.lad_gss)), 1) in (select left(k.gss, 1) from place.authority as k)
                then 'unknown'
            else 'outside'
        end as is_a
    from (select distinct a.lad_gss from pg_temp.arriving_postcode as a) as d
    cross join lateral place.find_authority(d.lad_gss) as f;

    create temporary table refused_postcode on commit drop as
    select
        a.line,
        case
            when coalesce(a.postcode, '') not like '% ___' then 'not a full postcode'
            else format('district "%s" is not known', left(d.code, 20))
        end as reason
    from pg_temp.arriving_postcode as a
    inner join pg_temp.arriving_district as d on a.lad_gss = d.lad_gss
    where
        d.is_a = 'unknown'
        or (d.is_a = 'known' and coalesce(a.postcode, '') not like '% ___');

    insert into pg_temp.refused_postcode (line, reason)
    select a.line, format('this postcode stands on line %s already', f.line)
    from (
        select r.postcode, min(r.line) as line
        from pg_temp.arriving_postcode as r
        where r.postcode like '% ___'
        group by r.postcode
        having count(*) > 1
    ) as f
    inner join pg_temp.arriving_postcode as a on f.postcode = a.postcode and f.line < a.line
    where not exists (select from pg_temp.refused_postcode as r where r.line = a.line);

    create temporary table arriving_sector on commit drop as
    select
        left(a.postcode, -2) as sector,
        d.code as lad_gss,
        coalesce(
            array_agg(right(a.postcode, 2) order by right(a.postcode, 2))
            filter (where not a.ended),
            '{}'
        ) as units,
        coalesce(
            array_agg(right(a.postcode, 2) order by right(a.postcode, 2))
            filter (where a.ended),
            '{}'
        ) as ended_units
    from pg_temp.arriving_postcode as a
    inner join pg_temp.arriving_district as d on a.lad_gss = d.lad_gss and d.is_a = 'known'
    where not exists (select from pg_temp.refused_postcode as r where r.line = a.line)
    group by 1, 2;

    create temporary table touched_sector on commit drop as
    with differing_row as (
        (table pg_temp.arriving_sector except table place.postcode_sector)
        union all
        (table place.postcode_sector except table pg_temp.arriving_sector)
    )

    select distinct d.sector from differing_row as d;

    with packed_row as (
        select true as arrives, a.* from pg_temp.arriving_sector as a
        union all
        select false, s.* from place.postcode_sector as s
    ),

    told_postcode as (
        select p.arrives, p.sector || u.unit as postcode, p.lad_gss, u.ended
        from packed_row as p
        inner join pg_temp.touched_sector as t on p.sector = t.sector
        cross join lateral (
            select in_use.unit, false as ended from unnest(p.units) as in_use (unit)
            union all
            select gone.unit, true from unnest(p.ended_units) as gone (unit)
        ) as u
    )

    select
        count(*) filter (where o.postcode is null),
        count(*) filter (where n.lad_gss <> o.lad_gss or n.ended < o.ended),
        count(*) filter (where n.lad_gss = o.lad_gss and n.ended > o.ended),
        count(*) filter (where n.postcode is null)
    into _added, _changed, _closed, _removed
    from (select * from told_postcode as t where t.arrives) as n
    full join (select * from told_postcode as t where not t.arrives) as o
        on n.postcode = o.postcode;

    _known := (
        select coalesce(sum(cardinality(s.units) + cardinality(s.ended_units)), 0)
        from place.postcode_sector as s
    );
    if _removed * 2 > _known and not merge_postcodes.shrink then
        raise exception '% of % known postcodes are not in the register', _removed, _known
            using errcode = 'PL008',
                  hint = 'Load the whole register, or say that it shrinks: --shrink.';
    end if;

    delete from place.postcode_sector as s
    using pg_temp.touched_sector as t
    where
        s.sector = t.sector
        and not exists (
            select
            from pg_temp.arriving_sector as a
            where a.sector = s.sector and a.lad_gss = s.lad_gss
        );
    insert into place.postcode_sector (sector, lad_gss, units, ended_units)
    select a.sector, a.lad_gss, a.units, a.ended_units
    from pg_temp.arriving_sector as a
    inner join pg_temp.touched_sector as t on a.sector = t.sector
    order by a.sector, a.lad_gss
    on conflict (sector, lad_gss) do update set
        units = excluded.units, ended_units = excluded.ended_units;

    select
        _added,
        _changed,
        _known - _changed - _closed - _removed,
        _closed,
        _removed,
        (
            select count(*)
            from pg_temp.arriving_postcode as a
            inner join pg_temp.arriving_district as d on a.lad_gss = d.lad_gss
            where d.is_a = 'outside'
        ),
        (select count(*) from pg_temp.refused_postcode),
        (
            select coalesce(
                jsonb_agg(jsonb_build_object('line', p.line, 'reason', p.reason) order by p.line),
                '[]'
            )
            from (
                select r.line, r.reason from pg_temp.refused_postcode as r order by r.line limit 1000
            ) as p
        )
    into _report;
    drop table pg_temp.arriving_district, pg_temp.refused_postcode, pg_temp.arriving_sector,
        pg_temp.touched_sector;
    return _report;
end;
$func$;

comment on function place.merge_postcodes is
'Make the arrived postcodes the ones that are known: readers see the old set until the commit, then the new one; only sectors that differ are written.';
