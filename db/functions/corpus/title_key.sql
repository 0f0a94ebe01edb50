-- corpus.title_key
-- Folded title without dates and version words; NULL when what is left is too generic to supersede by.
--
-- The year of an act, bill, order or regulation is its name, not its edition: the Education Acts of
-- 1996 and 2002 hold side by side.
--
-- called by  corpus.stage_document, corpus.correct_facts
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
        select regexp_replace(
            -- an index takes no longer key
            replace(
                translate(left(terms.fold_text(left(title_key.title, 1000)), 500), '_', ' '),
                'ß', 'ss'
            ),
            '\.(pdf|docx?|html?|txt)$', ''
        ) as title
    ),

    undated as (
        select
            f.title,
            regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
                -- the year that is part of a name: it is no word of digits any more
                regexp_replace(
                    f.title,
                    '\m(acts?|bill|orders?|regulations?|directive|'
                    || '(?:procedure|tribunal|court)\M.{0,80}\mrules)'
                    || '((?: ?\([^)]*\))?(?: of)?),? ((?:19|20)\d\d)\M',
                    '\1\2 y\3', 'g'
                ),
                -- 12/05/2024, 2024-05-12, 20240512
                '\m(\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d\d)|(19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}|'
                || '(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))\M', ' ', 'g'),
                -- 12 May 2024, 1st of September, 2024 May 12, May 12, 2024, Sept 2024, Sep-24,
                -- autumn term 2024; a month or a season alone is what a text is about
                replace(
                    '\m((\d{1,2}(st|nd|rd|th)?( of)?|(19|20)\d\d) @month'
                    || '(\M\.?,? ?((19|20)\d\d|\d{1,2}(st|nd|rd|th)?)\M)?|'
                    || '@month\M\.?( \d{1,2}(st|nd|rd|th)?,?)?[ ,/-]*(19|20)\d\d|@month-\d\d|'
                    || '(spring|summer|autumn|winter)( term)?,? (19|20)\d\d)\M',
                    '@month',
                    '(january|february|march|april|may|june|july|august|september|october|november|'
                    || 'december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)'
                ), ' ', 'g'),
                -- 2024, 2024-25, 2024/2025, 2024 to 2025
                '\m(19|20)\d\d( ?[-/] ?\d{2,4}| to (19|20)\d\d)?\M', ' ', 'g'),
                -- v2, version 1.3, second edition, withdrawn, last updated
                '\m(v ?\d+(\.\d+)*|((first|second|third|\d+(st|nd|rd|th)) )?'
                || '(version|ver|rev|revision|edition|issue)\M\.?( ?(no\.? ?)?\d+(\.\d+)*)?|'
                || '(last )?(updated?|revised|amended|reviewed)|withdrawn|superseded|archived?|'
                || 'copy( of\M| ?\d*$))\M',
                ' ', 'g'),
                -- the second download of a file
                ' ?\(\d{1,2}\)$', '') as words
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
