-- place.load_schools
-- Add or correct schools; returns how many rows were read.
--
-- called by  ingest/calls.py
-- writes     place.school
-- raises     PL001 unknown authority, PL003 the authority was split

create or replace function place.load_schools(rows jsonb)
returns integer
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into place.school (urn, name, la_code, phase, postcode, website, status)
    select
        r.urn, r.name, place.resolve_authority(r.la_code), r.phase, r.postcode, r.website,
        coalesce(r.status, 'open')
    from jsonb_to_recordset(load_schools.rows) as r (
        urn text, name text, la_code text, phase text, postcode text, website text, status text
    )
    on conflict (urn) do update set
        name = excluded.name, la_code = excluded.la_code, phase = excluded.phase,
        postcode = excluded.postcode, website = excluded.website, status = excluded.status;
    select jsonb_array_length(load_schools.rows);
$func$;

comment on function place.load_schools is
'Add or correct schools; returns how many rows were read.';
