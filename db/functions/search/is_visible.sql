-- search.is_visible
-- Whether a chunk may be shown: in one of the scopes and in one of the states. Every read that starts from a chunk id asks this.
--
-- called by  search.assemble, app/calls.py
-- raises     nothing

create or replace function search.is_visible(chunk_id bigint, scope_ids bigint[], statuses text[])
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select exists (
        select
        from corpus.chunk_fact as f
        where
            f.chunk_id = is_visible.chunk_id
            and f.scope_id = any(is_visible.scope_ids)
            and f.status = any(is_visible.statuses)
    );
$func$;

comment on function search.is_visible is
'Whether a chunk may be shown: in one of the scopes and in one of the states. Every read that starts from a chunk id asks this.';
