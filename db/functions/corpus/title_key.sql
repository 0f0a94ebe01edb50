-- corpus.title_key
-- Folded title without dates and version words; NULL when what is left is too generic to supersede by.
--
-- The year of an act, bill, order or regulation is its name, not its edition: the Education Acts of
-- 1996 and 2002 hold side by side.
--
-- called by  corpus.rival_key
-- raises     nothing

create or replace function corpus.title_key(title text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with folded as (
        select corpus.fold_title(title_key.title) as title
    ),

    undated as (
        select f.title, corpus.undate_title(f.title) as words
        from folded as f
    ),

    stripped as (
        select
            u.title,
            -- only at the end: a draft plan and a final plan are two subjects
            regexp_replace(
                btrim(regexp_replace(u.words, '[^[:alnum:]]+', ' ', 'g')),
                '( ?\m(draft|final))+$', ''
            ) as words
        from undated as u
    )

    select nullif(
        case
            -- 1. Introduction: the heading of a part was taken for the title
            when regexp_replace(s.words, '^(\d+ )+', '') in (
                '', 'home', 'homepage', 'overview', 'index', 'untitled', 'document', 'welcome',
                'contents', 'content', 'news', 'contact', 'contact us', 'about', 'about us', 'page',
                'introduction', 'microsoft word', 'letter', 'policy', 'guidance', 'report', 'form',
                'information', 'faq', 'faqs', 'help', 'search', 'error', 'not found',
                'new document', 'untitled document', 'home page', 'main page', 'login', 'log in',
                'sign in', 'page not found', 'access denied', 'just a moment', 'minutes', 'agenda',
                'newsletter', 'presentation', 'powerpoint presentation', 'scan', 'image', 'notice',
                'policies', 'documents', 'downloads', 'links', 'useful links', 'resources',
                'table of contents', 'summary', 'executive summary', 'foreword', 'background',
                'purpose', 'aims', 'scope', 'definitions', 'glossary', 'appendix', 'annex',
                'references', 'the law', 'key contacts', 'contact details', 'get in touch',
                'how to apply', 'who we are', 'what we do', 'next steps', 'privacy', 'cookies'
            )
            -- Home | Kent, Kent - home, Welcome to Hollybrook
            or s.title ~ '^(home|home ?page|index)( *[|:»]| - )|^welcome to\M'
            or s.title ~ '([|:»] *| - )(home|home ?page)$'
            or s.words !~ '[[:alpha:]]{3}' then ''
            else s.words
        end,
        ''
    )
    from stripped as s;
$func$;

comment on function corpus.title_key is
'Folded title without dates and version words; NULL when what is left is too generic to supersede by.';
