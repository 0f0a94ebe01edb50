-- 0020_own_indexes
-- why   any large scope gets a vector index of its own, as national text has (docs/decisions/0020)
-- lock  none that matters (one row)
-- undo  delete from config.setting where name = 'kb.own_index'
set local lock_timeout = '2s';
set local statement_timeout = '60s';

insert into config.setting
(name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
('kb.own_index', 'integer', '8000', 100, 100000000, null, 'chunks',
    'A scope of at least so many chunks gets vector indexes of its own from upkeep, and is searched through them.');
