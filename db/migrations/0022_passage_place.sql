-- 0022_passage_place
-- why   a citation names the pages and the headings of its passage
-- lock  access exclusive on corpus.chunk for a moment
-- undo  alter table corpus.chunk drop column page_from, drop column page_to, drop column heading_path;
--       alter type public.search_result drop attribute page_from, drop attribute page_to,
--       drop attribute heading_path
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table corpus.chunk
add column page_from integer,
add column page_to integer,
add column heading_path text[] not null default '{}';
comment on column corpus.chunk.page_from is
'The page it begins on, from 1; NULL where the file has no pages or was added before they were kept.';
comment on column corpus.chunk.page_to is 'The page it ends on.';
comment on column corpus.chunk.heading_path is
'The headings it begins under, the outermost first.';

alter type public.search_result
add attribute page_from integer,
add attribute page_to integer,
add attribute heading_path text[]; -- noqa: LT01
comment on column public.search_result.page_from is
'The page the passage begins on; NULL where the document has no pages.';
comment on column public.search_result.page_to is 'The page it ends on.';
comment on column public.search_result.heading_path is
'The headings it begins under, the outermost first.';
