-- corpus.set_tags
-- Give chunks other topic slugs, and the quality that follows; returns how many changed.
--
-- called by  curators
-- writes     corpus.chunk_fact, audit.event
-- raises     KB002 unknown tag, KB014 no such chunk

create or replace function corpus.set_tags(
    chunk_ids bigint[],
    tags text[],
    actor text default null
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
    _changed integer;
begin
    perform corpus.lock_facts(set_tags.chunk_ids);
    update corpus.chunk_fact as f
    set
        tags = _tags,
        quality_score = corpus.quality_score(
            length(c.content), v.file_type, cardinality(_tags),
            config.value('kb.chunk_size')::integer
        )
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    where
        f.chunk_id = any(set_tags.chunk_ids)
        and c.chunk_id = f.chunk_id
        and f.tags is distinct from _tags;
    get diagnostics _changed = row_count;
    if _changed > 0 then
        perform audit.write_event(
            'tags_changed', format('%s chunks', _changed),
            jsonb_build_object('chunks', set_tags.chunk_ids, 'tags', _tags), set_tags.actor
        );
    end if;
    return _changed;
end;
$func$;

comment on function corpus.set_tags is
'Give chunks other topic slugs, and the quality that follows; returns how many changed.';
