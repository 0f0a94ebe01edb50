-- 0042_turns_of_sites
-- why   seeds and sitemaps take turns with other pages, so that many of them do not fill every budget;
--       of a site's sitemaps the one read longest ago goes first
-- lock  share on crawl.visit for as long as its rows are read once (kept 30 days)
-- undo  drop index crawl.visit_sitemap_idx;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

comment on column crawl.visit.priority is
'Its turn, lowest first: three kinds take turns, 0, 3, 6 ... what a run begins with, 1, 4, 7 ... new pages as they are found, 2, 5, 8 ... known ones, seen longest ago first.';

-- squawk-ignore require-concurrent-index-creation
create index visit_sitemap_idx on crawl.visit (job_id) where kind = 'sitemap';
