-- place.load_districts
-- Add or correct districts and the education authority of each; returns how many rows were read.
--
-- called by  ingest/calls.py
-- writes     place.district
-- raises     PL001 unknown authority, PL003 the authority was split

create or replace function place.load_districts(rows jsonb)
returns integer
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into place.district (lad_gss, name, authority_gss)
    select r.lad_gss, r.name, place.resolve_authority(r.authority_gss)
    from jsonb_to_recordset(load_districts.rows) as r (lad_gss text, name text, authority_gss text)
    on conflict (lad_gss) do update set
        name = excluded.name, authority_gss = excluded.authority_gss;
    select jsonb_array_length(load_districts.rows);
$func$;

comment on function place.load_districts is
'Add or correct districts and the education authority of each; returns how many rows were read.';
