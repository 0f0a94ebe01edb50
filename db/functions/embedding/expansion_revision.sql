-- embedding.expansion_revision
-- Grows whenever synonyms or topics change, so that older cached questions are not used.
--
-- called by  embedding.cached_query, embedding.remember_query, embedding.purge_queries
-- raises     nothing

create or replace function embedding.expansion_revision()
returns bigint
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(sum(p.revision), 0)::bigint from terms.pack as p;
$func$;

comment on function embedding.expansion_revision is
'Grows whenever synonyms or topics change, so that older cached questions are not used.';
