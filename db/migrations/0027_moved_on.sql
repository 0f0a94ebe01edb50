-- 0027_moved_on
-- why   a source that says again what it said before, and another in between, is news; one that a
--       curator retired is not, and withdrawn_on does not tell the two apart
-- lock  access exclusive on corpus.version, for an instant
-- undo  alter table corpus.version drop column moved_on;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table corpus.version add column moved_on boolean not null default false;
comment on column corpus.version.moved_on is
'It was superseded because its source says what another source says; when that source says this again, it is published again.';
