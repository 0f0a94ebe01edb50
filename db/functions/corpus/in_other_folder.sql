-- corpus.in_other_folder
-- Whether two sources are files of one archive in different folders of it.
--
-- The source of an archive's file is the archive's name and its path inside, `north.zip/a/b.pdf`.
--
-- called by  corpus.rivals_of
-- raises     nothing

create or replace function corpus.in_other_folder(source text, other text)
returns boolean
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(
        substring(lower(in_other_folder.source) from '^(.*?\.zip)/')
        = substring(lower(in_other_folder.other) from '^(.*?\.zip)/')
        and substring(in_other_folder.source from '^(.*)/')
        <> substring(in_other_folder.other from '^(.*)/'),
        false
    );
$func$;

comment on function corpus.in_other_folder is
'Whether two sources are files of one archive in different folders of it.';
