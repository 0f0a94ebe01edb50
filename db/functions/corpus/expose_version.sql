-- corpus.expose_version
-- Put the texts and vectors of a published version where the search looks.
--
-- called by  corpus.publish_version, corpus.restore_version
-- writes     what corpus.expose_versions writes
-- raises     ST002 unusable setting

create or replace function corpus.expose_version(version_id bigint)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select corpus.expose_versions(array[expose_version.version_id]);
$func$;

comment on function corpus.expose_version is
'Put the texts and vectors of a published version where the search looks.';
