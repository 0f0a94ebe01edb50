-- corpus.source_host
-- Host of an address, lower case, without www; NULL when the source is not an address.
--
-- called by  corpus.stage_document, validation.weigh_version, corpus.correct_facts,
--            corpus.move_document, corpus.rival_key, crawl.record_moved
-- raises     nothing

create or replace function corpus.source_host(source text)
returns text
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select regexp_replace(
        lower(substring(
            source_host.source from '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/@?#]*@)?([^/:?#]+)'
        )),
        '^www\.', ''
    );
$func$;

comment on function corpus.source_host is
'Host of an address, lower case, without www; NULL when the source is not an address.';
