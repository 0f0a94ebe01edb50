-- place.open_registers
-- Empty tables of this session for the rows of a register: pg_temp.arriving_school, arriving_school_link and arriving_postcode; they go with the transaction.
--
-- A merge_... function takes the rows from there. Codes, postcodes and words are what the register
-- gives; line is where a row stands.
--
-- called by  ingest/registers/calls.py, place.load_schools
-- writes     the three tables

create or replace function place.open_registers()
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if to_regclass('pg_temp.arriving_school') is not null then
        drop table pg_temp.arriving_school, pg_temp.arriving_school_link, pg_temp.arriving_postcode;
    end if;
    create temporary table arriving_school (
        line bigint,
        urn text,
        name text,
        dfe_code text,
        gss text,
        phase text,
        postcode text,
        website text,
        status text,
        opened date,
        closed date,
        la_code text,
        outcome text,
        reason text
    ) on commit drop;
    create temporary table arriving_school_link (
        line bigint,
        urn text,
        link_urn text,
        link_type text
    ) on commit drop;
    create temporary table arriving_postcode (
        line bigint not null,
        -- millions of rows: sorted by bytes
        postcode text collate "C",
        lad_gss text collate "C" not null,
        ended boolean not null
    ) on commit drop;
end;
$func$;

comment on function place.open_registers is
'Empty tables of this session for the rows of a register: pg_temp.arriving_school, arriving_school_link and arriving_postcode; they go with the transaction.';
