-- corpus.restore_version
-- Publish a superseded version again: what corpus.retire_version did, taken back. Its passages are what they were.
--
-- called by  corpus.undo_supersession, which holds the locks and has retired what stood in its place
-- writes     corpus.version, corpus.chunk_fact, search.text_index, embedding.vector,
--            embedding.cold_vector, embedding.wanted_vector, audit.event
-- raises     KB010 a chunk lacks its vector

create or replace function corpus.restore_version(version_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _active embedding.set := embedding.active_set();
    _missing bigint;
begin
    select count(*) into _missing
    from corpus.chunk as c
    where
        c.version_id = restore_version.version_id
        and not exists (
            select
            from embedding.cold_vector as k
            where k.set_id = _active.set_id and k.chunk_id = c.chunk_id
        );
    if _missing > 0 then
        raise exception '% chunks of version % have no vector in set %',
            _missing, restore_version.version_id, _active.name
            using errcode = 'KB010', hint = 'Embed them first: embedding.chunks_to_embed.';
    end if;
    update corpus.version as v
    set state = 'published', superseded_by = null, withdrawn_on = null, valid_to = null
    where v.version_id = restore_version.version_id;
    perform from corpus.chunk_fact as f
    where f.chunk_id in (
        select c.chunk_id from corpus.chunk as c where c.version_id = restore_version.version_id
    )
    order by f.chunk_id
    for update;
    update corpus.chunk_fact as f
    set status = f.status_before
    from corpus.chunk as c
    where
        c.version_id = restore_version.version_id
        and f.chunk_id = c.chunk_id
        and f.status = 'superseded';
    insert into search.text_index (chunk_id, scope_id, lexemes, token_count)
    select i.chunk_id, i.scope_id, i.lexemes, terms.count_tokens(i.lexemes)
    from (
        select
            c.chunk_id, c.scope_id, terms.to_index(embedding.text_of(v.title, c.content)) as lexemes
        from corpus.version as v
        inner join corpus.chunk as c on v.version_id = c.version_id
        where v.version_id = restore_version.version_id
        order by c.chunk_index
    ) as i;
    with warm_vector as (
        delete from embedding.cold_vector as k
        using corpus.chunk as c
        where c.version_id = restore_version.version_id and k.chunk_id = c.chunk_id
        returning k.set_id, k.chunk_id, c.scope_id, k.embedding
    )

    insert into embedding.vector (set_id, chunk_id, scope_id, embedding)
    select w.set_id, w.chunk_id, w.scope_id, w.embedding
    from warm_vector as w
    order by w.chunk_id;
    perform embedding.want_version(restore_version.version_id);
    perform audit.write_event('restored', 'version ' || restore_version.version_id);
end;
$func$;

comment on function corpus.restore_version is
'Publish a superseded version again: what corpus.retire_version did, taken back. Its passages are what they were.';
