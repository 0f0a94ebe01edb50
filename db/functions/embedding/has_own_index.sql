-- embedding.has_own_index
-- Whether a scope has a vector index of its own in a set, built and ready.
--
-- called by  search.vector_leg, search.index_hits
-- raises     nothing

create or replace function embedding.has_own_index(set_id integer, scope_id bigint)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select exists (
        select
        from pg_index as i
        where
            i.indexrelid = to_regclass(
                'embedding.'
                || embedding.own_index(has_own_index.set_id, has_own_index.scope_id)
            )
            and i.indisvalid
    );
$func$;

comment on function embedding.has_own_index is
'Whether a scope has a vector index of its own in a set, built and ready.';
