-- corpus.names_edition
-- Whether a title names a date or a version, so that it is one edition of something.
--
-- called by  corpus.rival_key
-- raises     nothing

create or replace function corpus.names_edition(title text)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(
        btrim(regexp_replace(f.title, '[^[:alnum:]]+', ' ', 'g'))
        <> btrim(regexp_replace(corpus.undate_title(f.title), '[^[:alnum:]]+', ' ', 'g')),
        false
    )
    from (select corpus.fold_title(names_edition.title) as title) as f;
$func$;

comment on function corpus.names_edition is
'Whether a title names a date or a version, so that it is one edition of something.';
