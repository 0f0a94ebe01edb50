-- 0043_known_tags
-- why   search.bit_hits is handed the chunks that carry the tags by who has counted them; which scopes
--       have a vector index of their own (docs/decisions/0038)
-- lock  none that matters: a function is replaced, and one row
-- undo  drop function search.bit_hits with its new arguments; deploying the version before brings the old one back
set local lock_timeout = '2s';
set local statement_timeout = '1min';

-- its arguments are others now
-- squawk-ignore ban-drop-function
drop function if exists search.bit_hits(public.halfvec, integer, bigint[], text[], text[], integer);

update config.setting
set
    meaning = 'A scope of at least so many chunks, and of more than kb.exact_limit where the set''s index holds bits, '
    'gets a vector index of its own from upkeep, and is searched through it.'
where name = 'kb.own_index';
