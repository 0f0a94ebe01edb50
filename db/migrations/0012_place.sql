-- 0012_place
-- why   postcodes and the register of schools, so that an authority can be told from either
-- lock  access exclusive on place.school, for an instant
-- undo  drop view place.postcode; drop table place.postcode_sector, place.school_successor; drop type place.load_report; alter table place.school drop column opened, drop column closed;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table place.school
add column opened date,
add column closed date;
comment on column place.school.opened is 'Day it opened or will open, when known.';
comment on column place.school.closed is 'Day it closed, when it did and that is known.';

create table place.school_successor (
    urn text not null,
    successor_urn text not null,
    constraint school_successor_pk primary key (urn, successor_urn),
    constraint school_successor_is_another_school check (urn <> successor_urn),
    constraint school_successor_urn_fk
    foreign key (urn) references place.school (urn) on delete cascade,
    constraint school_successor_successor_fk
    foreign key (successor_urn) references place.school (urn) on delete cascade
);
comment on table place.school_successor is
'Which school took over from a closed one, e.g. the academy it became.';
comment on column place.school_successor.urn is 'The closed school.';
comment on column place.school_successor.successor_urn is 'A school that took over.';
create index school_successor_successor_idx on place.school_successor (successor_urn);

create table place.postcode_sector (
    -- "C": all sectors of an outward code are found by prefix
    sector text collate "C" not null,
    lad_gss text not null,
    units text[] not null,
    ended_units text[] not null default '{}',
    constraint postcode_sector_pk primary key (sector, lad_gss),
    constraint postcode_sector_is_a_sector
    check (sector ~ '^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9]$'),
    constraint postcode_sector_district_has_nine_characters check (lad_gss ~ '^[A-Z][0-9]{8}$')
);
comment on table place.postcode_sector is
'Every postcode and its district, packed: one row for each sector and each district it reaches into.';
comment on column place.postcode_sector.sector is 'A postcode less its last two letters, e.g. B1 1.';
comment on column place.postcode_sector.lad_gss is
'District, or the authority where it is both: place.find_authority tells who answers for it.';
comment on column place.postcode_sector.units is 'The last two letters of its postcodes in use.';
comment on column place.postcode_sector.ended_units is 'Those of postcodes that have ended.';

create view place.postcode as
select
    s.sector || u.unit as postcode,
    s.lad_gss,
    u.ended
from place.postcode_sector as s
cross join lateral (
    select
        in_use.unit,
        false as ended
    from unnest(s.units) as in_use (unit)
    union all
    select
        gone.unit,
        true as ended
    from unnest(s.ended_units) as gone (unit)
) as u;
comment on view place.postcode is
'One row for each postcode, for people and counts; place.find_postcode looks one up.';
comment on column place.postcode.postcode is 'The postcode.';
comment on column place.postcode.lad_gss is 'Its district.';
comment on column place.postcode.ended is 'Whether it is no longer in use.';

create type place.load_report as (
    added bigint,
    changed bigint,
    unchanged bigint,
    closed bigint,
    removed bigint,
    outside bigint,
    refused bigint,
    problems jsonb
);
comment on type place.load_report is 'What a load of a register did, in rows.';
comment on column place.load_report.added is 'New.';
comment on column place.load_report.changed is 'Known, and different now.';
comment on column place.load_report.unchanged is 'Known as they are.';
comment on column place.load_report.closed is 'Schools that closed, postcodes that ended.';
comment on column place.load_report.removed is 'Known, and gone from the register.';
comment on column place.load_report.outside is 'Of other countries; links that are no succession.';
comment on column place.load_report.refused is 'Rows that cannot be used.';
comment on column place.load_report.problems is
'The first thousand refused rows: [{"line": 7, "reason": "..."}].';

-- they take a postcode as well now; the files make them anew in the same transaction (a fresh
-- database has none yet)
-- squawk-ignore ban-drop-function
drop function if exists place.resolve_authority(text);
-- squawk-ignore ban-drop-function
drop function if exists search.scope_of(text, text, text);
-- squawk-ignore ban-drop-function
drop function if exists public.search_text(
    text, text, text, text, text[], integer, text[], date, text
);
