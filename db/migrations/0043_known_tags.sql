-- 0043_known_tags
-- why   search.bit_hits is handed the chunks that carry the tags by who has counted them
-- lock  none that matters: a function is replaced
-- undo  drop function search.bit_hits with its new arguments; deploying the version before brings the old one back
set local lock_timeout = '2s';
set local statement_timeout = '1min';

-- its arguments are others now
-- squawk-ignore ban-drop-function
drop function if exists search.bit_hits(public.halfvec, integer, bigint[], text[], text[], integer);
