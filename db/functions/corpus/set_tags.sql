-- corpus.set_tags
-- Give chunks other topic slugs, and the quality that follows; returns how many changed.
--
-- called by  curators
-- writes     corpus.chunk_fact, audit.event
-- raises     KB002 unknown tag, KB014 no such chunk

create or replace function corpus.set_tags(
    chunk_ids bigint[],
    tags text[],
    actor text default null,
    reason text default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _tags text[] := corpus.check_tags(set_tags.tags);
    _spoken text[];
    _version record;
    _changed integer := 0;
begin
    perform corpus.lock_facts(set_tags.chunk_ids);
    _spoken := audit.speak_for(set_tags.actor, set_tags.reason);
    for _version in
        with changed_fact as (
            update corpus.chunk_fact as f
            set tags = _tags
            from corpus.chunk as c
            where
                f.chunk_id = any(set_tags.chunk_ids)
                and c.chunk_id = f.chunk_id
                and f.tags is distinct from _tags
            returning f.chunk_id, c.version_id
        )

        select
            w.version_id,
            count(*)::integer as count,
            jsonb_agg(w.chunk_id order by w.chunk_id) as chunks
        from changed_fact as w
        group by w.version_id
        order by w.version_id
    loop
        perform audit.write_event(
            'tags_changed', 'version ' || _version.version_id,
            jsonb_build_object('tags', _tags, 'chunks', _version.chunks)
        );
        _changed := _changed + _version.count;
    end loop;
    perform audit.speak_for(_spoken[1], _spoken[2]);
    return _changed;
end;
$func$;

comment on function corpus.set_tags is
'Give chunks other topic slugs, and the quality that follows; returns how many changed.';
