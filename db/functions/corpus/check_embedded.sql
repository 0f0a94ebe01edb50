-- corpus.check_embedded
-- Refuse a version that lacks vectors in the active embedding set: it must not be published.
--
-- Its vectors lie in embedding.cold_vector until then. The caller holds embedding.activate, so
-- that the set stays the active one.
--
-- called by  corpus.settle_version, corpus.restore_version, corpus.release_version
-- raises     KB010 a chunk lacks its vector

create or replace function corpus.check_embedded(version_id bigint)
returns void
language plpgsql
stable
parallel safe
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
        c.version_id = check_embedded.version_id
        and not exists (
            select
            from embedding.cold_vector as k
            where k.set_id = _active.set_id and k.chunk_id = c.chunk_id
        );
    if _missing > 0 then
        raise exception '% chunks of version % have no vector in set %',
            _missing, check_embedded.version_id, _active.name
            using errcode = 'KB010', hint = 'Embed them first: embedding.chunks_to_embed.';
    end if;
end;
$func$;

comment on function corpus.check_embedded is
'Refuse a version that lacks vectors in the active embedding set: it must not be published.';
