-- 0021_days_in_force
-- why   the versions in force on a day are found by their first day, not by reading every chunk in reach
-- lock  corpus.version against writes while the index is built (under a second for 50,000 versions)
-- undo  drop index corpus.version_valid_from_idx;
set local lock_timeout = '2s';
set local statement_timeout = '10min';

-- squawk-ignore require-concurrent-index-creation
create index version_valid_from_idx on corpus.version (valid_from)
where state in ('published', 'superseded');
