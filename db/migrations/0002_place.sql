-- 0002_place
-- why   authority codes change and districts are not education authorities: resolve, never compare
-- lock  none that matters (new objects)
-- undo  drop schema place cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema place;
comment on schema place is 'Education authorities, their successors, the districts inside them and schools.';

create table place.authority (
    gss text not null,
    dfe_code text,
    name text not null,
    kind text not null default '',
    region text not null default '',
    status text not null default 'live',
    start_date date,
    end_date date,
    website text,
    constraint authority_pk primary key (gss),
    constraint authority_code_has_nine_characters check (gss ~ '^[A-Z][0-9]{8}$'),
    constraint authority_dfe_code_has_three_digits check (dfe_code ~ '^[0-9]{3}$'),
    constraint authority_status_is_known check (status in ('live', 'ended'))
);
comment on table place.authority is 'Education authorities, live and ended.';
comment on column place.authority.gss is 'Nine-character ONS code; changes when boundaries do.';
comment on column place.authority.dfe_code is 'Three-digit code of the Department for Education.';
comment on column place.authority.name is 'Name people know.';
comment on column place.authority.kind is 'County, unitary, metropolitan district or London borough.';
comment on column place.authority.region is 'Region name.';
comment on column place.authority.status is 'live or ended.';
comment on column place.authority.start_date is 'First day of this code, when known.';
comment on column place.authority.end_date is 'Last day of this code, when ended.';
comment on column place.authority.website is 'Home page.';
create index authority_dfe_code_idx on place.authority (dfe_code);

create table place.authority_successor (
    gss text not null,
    successor_gss text not null,
    constraint authority_successor_pk primary key (gss, successor_gss),
    constraint authority_successor_is_another_code check (gss <> successor_gss),
    constraint authority_successor_gss_fk
    foreign key (gss) references place.authority (gss) on delete cascade,
    constraint authority_successor_successor_fk
    foreign key (successor_gss) references place.authority (gss) on delete cascade
);
comment on table place.authority_successor is
'Which code took over from an ended one; a county that was split has several rows.';
comment on column place.authority_successor.gss is 'The ended code.';
comment on column place.authority_successor.successor_gss is 'A code that took over.';
create index authority_successor_successor_idx on place.authority_successor (successor_gss);

create table place.district (
    lad_gss text not null,
    name text not null,
    authority_gss text not null,
    constraint district_pk primary key (lad_gss),
    constraint district_code_has_nine_characters check (lad_gss ~ '^[A-Z][0-9]{8}$'),
    constraint district_authority_fk foreign key (authority_gss) references place.authority (gss)
);
comment on table place.district is
'Districts that a postcode gives, with the education authority that answers for them.';
comment on column place.district.lad_gss is 'Nine-character ONS code of the district.';
comment on column place.district.name is 'Name of the district.';
comment on column place.district.authority_gss is 'The education authority, e.g. the county.';
create index district_authority_idx on place.district (authority_gss);

create table place.school (
    urn text not null,
    name text not null,
    la_code text not null,
    phase text,
    postcode text,
    website text,
    status text not null default 'open',
    constraint school_pk primary key (urn),
    constraint school_urn_has_six_digits check (urn ~ '^[0-9]{6}$'),
    constraint school_authority_fk foreign key (la_code) references place.authority (gss),
    constraint school_status_is_known check (status in ('open', 'closed'))
);
comment on table place.school is 'Schools by unique reference number.';
comment on column place.school.urn is 'Unique reference number of six digits.';
comment on column place.school.name is 'Name people know.';
comment on column place.school.la_code is 'The authority that maintains or oversees the school.';
comment on column place.school.phase is 'Phase of education, when known.';
comment on column place.school.postcode is 'Postcode, when known.';
comment on column place.school.website is 'Home page, when known.';
comment on column place.school.status is 'open or closed.';
create index school_authority_idx on place.school (la_code);
