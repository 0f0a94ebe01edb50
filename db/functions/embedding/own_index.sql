-- embedding.own_index
-- The name of the vector index of one scope alone in a set, whether there is one or not.
--
-- called by  embedding.index_statements, embedding.has_own_index
-- raises     nothing

create or replace function embedding.own_index(set_id integer, scope_id bigint)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select format(
        'vector_%s_%s_idx',
        own_index.set_id,
        case when s.kind = 'national' then 'national' else 'scope_' || s.scope_id end
    )
    from corpus.scope as s
    where s.scope_id = own_index.scope_id;
$func$;

comment on function embedding.own_index is
'The name of the vector index of one scope alone in a set, whether there is one or not.';
