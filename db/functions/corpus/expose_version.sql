-- corpus.expose_version
-- Put the texts and vectors of a published version where the search looks.
--
-- called by  corpus.publish_version, corpus.restore_version
-- writes     search.text_index, embedding.vector, embedding.cold_vector, embedding.wanted_vector

create or replace function corpus.expose_version(version_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform corpus.index_version(expose_version.version_id);
    with warm_vector as (
        delete from embedding.cold_vector as k
        using corpus.chunk as c
        where c.version_id = expose_version.version_id and k.chunk_id = c.chunk_id
        returning k.set_id, k.chunk_id, c.scope_id, k.embedding
    )

    insert into embedding.vector (set_id, chunk_id, scope_id, embedding)
    select w.set_id, w.chunk_id, w.scope_id, w.embedding
    from warm_vector as w
    order by w.chunk_id;
    perform embedding.want_version(expose_version.version_id);
end;
$func$;

comment on function corpus.expose_version is
'Put the texts and vectors of a published version where the search looks.';
