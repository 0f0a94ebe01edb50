-- 0028_upkeep_and_tags
-- why   a rebuild costs a third of the vacuum that repairs the same graph (docs/decisions/0017), so
--       one comes before every vacuum of dead vectors; and tags that nothing carries need no
--       keyword leg, so the vector leg tells how many chunks carry them
-- lock  access exclusive on a type, for an instant
-- undo  alter type search.vector_found drop attribute tagged;
--       update config.setting set default_value = '0.5' where name = 'kb.rebuild_after'
set local lock_timeout = '2s';
set local statement_timeout = '60s';

update config.setting
set default_value = '0.05'
where name = 'kb.rebuild_after';

alter type search.vector_found add attribute tagged bigint;
comment on column search.vector_found.tagged is
'Visible chunks that carry the tags, counted no further than kb.exact_limit; NULL when not counted.';
