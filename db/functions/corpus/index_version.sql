-- corpus.index_version
-- Make the words of a version findable, those of its title with each passage.
--
-- called by  corpus.correct_facts
-- writes     what corpus.index_versions writes
-- raises     ST002 unusable setting

create or replace function corpus.index_version(version_id bigint)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select corpus.index_versions(array[index_version.version_id]);
$func$;

comment on function corpus.index_version is
'Make the words of a version findable, those of its title with each passage.';
