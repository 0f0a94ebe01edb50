-- embedding.want_version
-- Note the chunks of a version that lack their vector in a set that is filled or kept up beside the active one.
--
-- called by  corpus.expose_versions
-- writes     embedding.wanted_vector

create or replace function embedding.want_version(version_id bigint)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into embedding.wanted_vector as w (set_id, chunk_id, scope_id, searched)
    select s.set_id, c.chunk_id, c.scope_id, true
    from embedding.set as s
    inner join corpus.chunk as c on c.version_id = want_version.version_id
    where
        s.state <> 'idle'
        and not s.active
        and not exists (
            select
            from embedding.vector as v
            where v.set_id = s.set_id and v.chunk_id = c.chunk_id
        )
    on conflict on constraint wanted_vector_pk do update set searched = true
    where not w.searched;
$func$;

comment on function embedding.want_version is
'Note the chunks of a version that lack their vector in a set that is filled or kept up beside the active one.';
