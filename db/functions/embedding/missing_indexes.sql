-- embedding.missing_indexes
-- The indexes a set lacks or has from a build that broke, each with the statement that builds it.
--
-- called by  embedding.activate, dba.upkeep_plan, ingest/embedding/calls.py
-- raises     ST002 unusable setting

create or replace function embedding.missing_indexes(set_id integer)
returns table (index_name text, statement text, broken boolean)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select x.index_name, x.statement, i.indexrelid is not null
    from embedding.index_statements(missing_indexes.set_id) as x
    left join pg_index as i
        on i.indexrelid = to_regclass('embedding.' || quote_ident(x.index_name))
    where i.indisvalid is not true;
$func$;

comment on function embedding.missing_indexes is
'The indexes a set lacks or has from a build that broke, each with the statement that builds it.';
