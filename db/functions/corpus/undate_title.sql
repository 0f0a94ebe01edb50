-- corpus.undate_title
-- A folded title without dates and version words.
--
-- called by  corpus.title_key, corpus.names_edition
-- raises     nothing

create or replace function corpus.undate_title(title text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
            undate_title.title,
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
            ' ?\(\d{1,2}\)$', '');
$func$;

comment on function corpus.undate_title is
'A folded title without dates and version words.';
