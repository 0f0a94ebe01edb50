-- 0037_requesters_and_reading
-- why   a batch of addresses says who handed it in, as an upload does; what was cited is not read
--       without end; and what is gone while it is hidden is known to be
-- lock  access exclusive on intake.batch, for an instant
-- undo  alter table intake.batch drop column handed_in_by;
--       delete from limits.rule where rule in ('read_person', 'read_address');
--       delete from config.setting where name in ('kb.reads_per_person', 'kb.reads_per_address')
set local lock_timeout = '2s';
set local statement_timeout = '60s';

-- of those that are there nobody knows any more; they go within a day
alter table intake.batch add column handed_in_by text not null default 'unknown';
-- only intake.create_batch writes it, which comes with this deploy
-- squawk-ignore ban-drop-default
alter table intake.batch alter column handed_in_by drop default;
comment on column intake.batch.handed_in_by is 'Who handed it in.';

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.reads_per_person', 'integer', '300', 0, 100000, null, 'per minute',
        'How often a person may open what was cited; 0 is without limit.'),
    ('kb.reads_per_address', 'integer', '1200', 0, 100000, null, 'per minute',
        'How often what was cited may be opened from one network address; 0 is without limit.');
insert into limits.rule (rule, setting, per, meaning) values
('read_person', 'kb.reads_per_person', '1 minute', 'Passages and documents a person opens.'),
('read_address', 'kb.reads_per_address', '1 minute', 'Passages and documents opened from an address.');

-- a document whose source is gone while another one hides it must not come back with a correction
comment on column corpus.version.withdrawn_on is
'The day its source was gone or began to say what another source says, or a curator named another document as its successor; NULL when a version of its own document or title took over.';
comment on column corpus.version.moved_on is
'Its source says what another source says, or was gone while another document hid it; when that source says this again, it is published again.';
