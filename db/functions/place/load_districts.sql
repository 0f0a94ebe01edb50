-- place.load_districts
-- Add or correct districts and the education authority of each; returns how many rows were read.
--
-- called by  ingest/packs/calls.py
-- writes     place.district
-- raises     PL001 unknown authority, PL003 the authority was split, PL007 a row that cannot be a
--            district

create or replace function place.load_districts(rows jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _bad record;
begin
    select
        r.lad_gss,
        count(*) > 1 as is_twice
    into _bad
    from jsonb_to_recordset(load_districts.rows) as r (lad_gss text, name text, authority_gss text)
    group by r.lad_gss
    having
        count(*) > 1
        or coalesce(r.lad_gss, '') !~ '^[A-Z][0-9]{8}$'
        or coalesce(min(r.name), '') !~ '\S'
        or min(r.authority_gss) is null
    limit 1;
    if found then
        raise exception 'district row "%" %',
            left(coalesce(_bad.lad_gss, 'without code'), 40),
            case when _bad.is_twice then 'is listed twice' else 'is not usable' end
            using errcode = 'PL007',
                  hint = 'Each row needs lad_gss (E07000106), once, name and authority_gss (E10000016).';
    end if;
    insert into place.district (lad_gss, name, authority_gss)
    select r.lad_gss, r.name, place.resolve_authority(r.authority_gss)
    from jsonb_to_recordset(load_districts.rows) as r (lad_gss text, name text, authority_gss text)
    on conflict (lad_gss) do update set
        name = excluded.name, authority_gss = excluded.authority_gss;
    return jsonb_array_length(load_districts.rows);
end;
$func$;

comment on function place.load_districts is
'Add or correct districts and the education authority of each; returns how many rows were read.';
