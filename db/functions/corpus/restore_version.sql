-- corpus.restore_version
-- Publish a superseded version again: what corpus.retire_version did, taken back. Its passages are what they were.
--
-- called by  corpus.undo_supersession and corpus.release_version, which hold the locks and have
--            retired what stood in its place
-- writes     corpus.version, corpus.chunk_fact, audit.event, what corpus.expose_version writes
-- raises     KB010 a chunk lacks its vector, ST002 unusable setting

create or replace function corpus.restore_version(version_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform corpus.check_embedded(restore_version.version_id);
    update corpus.version as v
    set
        state = 'published',
        superseded_by = null,
        withdrawn_on = null,
        moved_on = false,
        valid_to = null
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
    perform corpus.expose_version(restore_version.version_id);
    perform audit.write_event('restored', 'version ' || restore_version.version_id);
end;
$func$;

comment on function corpus.restore_version is
'Publish a superseded version again: what corpus.retire_version did, taken back. Its passages are what they were.';
