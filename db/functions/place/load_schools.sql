-- place.load_schools
-- Add or correct the schools of a pack, all or none; returns how many rows were read.
--
-- called by  ingest/packs/calls.py
-- writes     place.school
-- raises     PL001 unknown authority, PL003 the authority was split, PL006 a row that cannot be a
--            school

create or replace function place.load_schools(rows jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _report place.load_report;
begin
    perform place.resolve_authority(r.value ->> 'la_code', r.value ->> 'postcode')
    from jsonb_array_elements(load_schools.rows) as r (value);
    perform place.open_registers();
    insert into pg_temp.arriving_school (line, urn, name, gss, phase, postcode, website, status)
    select
        row_number() over (), r.urn, r.name, r.la_code, r.phase, r.postcode, r.website,
        coalesce(r.status, 'open')
    from jsonb_to_recordset(load_schools.rows) as r (
        urn text, name text, la_code text, phase text, postcode text, website text, status text
    );
    _report := place.merge_schools();
    if _report.refused > 0 then
        raise exception 'school row % cannot be used: %',
            _report.problems -> 0 ->> 'line', _report.problems -> 0 ->> 'reason'
            using errcode = 'PL006',
                  hint = 'Each school has a URN of six digits, once, a name and an authority.';
    end if;
    return jsonb_array_length(load_schools.rows);
end;
$func$;

comment on function place.load_schools is
'Add or correct the schools of a pack, all or none; returns how many rows were read.';
