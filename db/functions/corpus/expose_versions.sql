-- corpus.expose_versions
-- Put the texts and vectors of published versions where the search looks.
--
-- All of a transaction at once: what keeps the statistics notes each word once for all of them.
--
-- called by  corpus.expose_version, corpus.publish_claims
-- writes     search.text_index, embedding.vector, embedding.cold_vector, embedding.wanted_vector
-- raises     ST002 unusable setting

create or replace function corpus.expose_versions(version_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform corpus.index_versions(expose_versions.version_ids);
    with warm_vector as (
        delete from embedding.cold_vector as k
        using corpus.chunk as c
        where c.version_id = any(expose_versions.version_ids) and k.chunk_id = c.chunk_id
        returning k.set_id, k.chunk_id, c.scope_id, k.embedding
    )

    insert into embedding.vector (set_id, chunk_id, scope_id, embedding)
    select w.set_id, w.chunk_id, w.scope_id, w.embedding
    from warm_vector as w
    order by w.chunk_id;
    perform embedding.want_version(u.version_id)
    from unnest(expose_versions.version_ids) as u (version_id)
    where exists (select from embedding.set as s where s.state <> 'idle' and not s.active);
end;
$func$;

comment on function corpus.expose_versions is
'Put the texts and vectors of published versions where the search looks.';
