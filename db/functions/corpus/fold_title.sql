-- corpus.fold_title
-- A title as titles are compared: folded, without the ending of a file, the year of an act made part of its name.
--
-- called by  corpus.title_key, corpus.names_edition, corpus.rivals_of
-- raises     nothing

create or replace function corpus.fold_title(title text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select regexp_replace(
        regexp_replace(
            -- an index takes no longer key
            replace(
                translate(left(terms.fold_text(left(fold_title.title, 1000)), 500), '_', ' '),
                'ß', 'ss'
            ),
            '\.(pdf|docx?|html?|txt)$', ''
        ),
        -- the year that is part of a name: it is no word of digits any more
        '\m(acts?|bill|orders?|regulations?|directive|'
        || '(?:procedure|tribunal|court)\M.{0,80}\mrules)'
        || '((?: ?\([^)]*\))?(?: of)?),? ((?:19|20)\d\d)\M',
        '\1\2 y\3', 'g'
    );
$func$;

comment on function corpus.fold_title is
'A title as titles are compared: folded, without the ending of a file, the year of an act made part of its name.';
