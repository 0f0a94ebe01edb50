-- corpus.title_key
-- Folded title without years, dates and version words; NULL when what is left is too generic to supersede by.
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
    with stripped as (
        select regexp_replace(btrim(regexp_replace(regexp_replace(regexp_replace(
            -- an index takes no longer key
            translate(left(terms.fold_text(left(title_key.title, 1000)), 500), '_', ' '),
            -- 2024, 2024-25, 2024/2025
            '\m(19|20)\d\d(?: ?[-/] ?\d{2,4})?\M', ' ', 'g'),
            -- v2, version 1.3, withdrawn, updated, month names
            '\m(v\d+(\.\d+)*|(version|ver|rev|revision|edition|issue)\M( ?\d+(\.\d+)*)?|'
            || 'withdrawn|updated?|superseded|archived?|copy|january|february|march|april|may|june|'
            || 'july|august|september|october|november|december)\M', ' ', 'g'),
            '[^[:alnum:]]+', ' ', 'g')),
            -- only at the end: a draft plan and a final plan are two subjects
            '( ?\m(draft|final))+$', '') as words
    )

    select nullif(
        case
            when s.words in (
                '', 'home', 'homepage', 'overview', 'index', 'untitled', 'document', 'welcome',
                'contents', 'content', 'news', 'contact', 'contact us', 'about', 'about us', 'page',
                'introduction', 'microsoft word', 'letter', 'policy', 'guidance', 'report', 'form',
                'information', 'faq', 'faqs', 'help', 'search', 'error', 'not found',
                'new document', 'untitled document'
            ) or s.words !~ '[[:alpha:]]{3}' then ''
            else s.words
        end,
        ''
    )
    from stripped as s;
$func$;

comment on function corpus.title_key is
'Folded title without years, dates and version words; NULL when what is left is too generic to supersede by.';
