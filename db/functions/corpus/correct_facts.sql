-- corpus.correct_facts
-- Apply corrected facts to a version whose text is the same; false when there was nothing to correct. NULL leaves a fact as it is.
--
-- A published version keeps its vectors, so a corrected title is found by its words at once and
-- by its meaning from the next text on. Tags a curator changed stay. A corrected title or day
-- may make it replace others, or be replaced, as at its publication.
--
-- called by  corpus.stage_document
-- writes     corpus.version, corpus.chunk (hashes of a staged one), corpus.chunk_fact,
--            search.text_index, audit.event, and what corpus.retire_version writes
-- locks      advisory: the title keys, as corpus.publish_version; then rows

create or replace function corpus.correct_facts(
    version_id bigint,
    title text default null,
    tags text[] default null,
    authority text default null,
    document_type text default null,
    effective_date date default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _old corpus.version;
    _new corpus.version;
    _family text;
    _key text;
    _losers bigint[];
    _winner bigint;
begin
    select v.* into strict _old
    from corpus.version as v
    where v.version_id = correct_facts.version_id;
    _new := _old;
    _new.title := coalesce(correct_facts.title, _old.title);
    _new.title_key := corpus.title_key(_new.title);
    _new.tags := coalesce(correct_facts.tags, _old.tags);
    _new.authority := coalesce(correct_facts.authority, _old.authority);
    _new.document_type := coalesce(correct_facts.document_type, _old.document_type);
    _new.effective_date := coalesce(correct_facts.effective_date, _old.effective_date);
    if _new.title = _old.title then
        _new.title_key := _old.title_key;
    end if;
    if _new is not distinct from _old then
        return false;
    end if;

    select d.scope_id || d.source_family into _family
    from corpus.document as d
    where d.document_id = _old.document_id;
    for _key in
        select k.title_key
        from (
            select v.title_key collate "C" as title_key
            from corpus.version as v
            where v.document_id = _old.document_id
            union
            select _new.title_key collate "C"
        ) as k
        where k.title_key is not null
        order by k.title_key
    loop
        perform pg_advisory_xact_lock(hashtextextended(_family || ' ' || _key, 3));
    end loop;
    perform from corpus.document as d where d.document_id = _old.document_id for update;
    -- what is published meanwhile is corrected the next time
    perform from corpus.version as v
    where v.version_id = _old.version_id and v.state = _old.state
    for update;
    if not found then
        return false;
    end if;
    update corpus.version as v
    set
        title = _new.title,
        title_key = _new.title_key,
        tags = _new.tags,
        authority = _new.authority,
        document_type = _new.document_type,
        effective_date = _new.effective_date,
        valid_from = case
            when _new.effective_date is distinct from _old.effective_date and v.state <> 'staged'
                then _new.effective_date
            else v.valid_from
        end
    where v.version_id = _old.version_id;

    if _old.state = 'staged' then
        if _new.title <> _old.title then
            update corpus.chunk as c
            set embedding_hash
                = sha256(convert_to(embedding.text_of(_new.title, c.content), 'UTF8'))
            where
                c.version_id = _old.version_id
                and not exists (
                    select from embedding.cold_vector as k where k.chunk_id = c.chunk_id
                );
        end if;
        return true;
    end if;

    if _new.tags <> _old.tags then
        perform from corpus.chunk_fact as f
        where f.chunk_id in (
            select c.chunk_id from corpus.chunk as c where c.version_id = _old.version_id
        )
        order by f.chunk_id
        for update;
        update corpus.chunk_fact as f
        set
            tags = _new.tags,
            quality_score = corpus.quality_score(
                length(c.content), _new.file_type, cardinality(_new.tags),
                config.value('kb.chunk_size')::integer
            )
        from corpus.chunk as c
        where
            c.version_id = _old.version_id
            and f.chunk_id = c.chunk_id
            and f.tags = _old.tags;
    end if;
    if _new.title <> _old.title and _old.state = 'published' then
        delete from search.text_index as x
        using corpus.chunk as c
        where c.version_id = _old.version_id and x.chunk_id = c.chunk_id;
        perform corpus.index_version(_old.version_id);
    end if;
    perform audit.write_event(
        'corrected', 'version ' || _old.version_id,
        (
            select jsonb_object_agg(n.key, jsonb_build_array(o.value, n.value))
            from jsonb_each(to_jsonb(_new)) as n
            inner join jsonb_each(to_jsonb(_old)) as o on n.key = o.key
            where n.value <> o.value and n.key <> 'title_key'
        )
    );
    if _new.title_key is distinct from _old.title_key
        or _new.effective_date is distinct from _old.effective_date
    then
        select j.losers, j.winner into _losers, _winner
        from corpus.judge_rivals(_old.version_id) as j;
        perform corpus.retire_version(r.version_id, _old.version_id)
        from unnest(_losers) as r (version_id)
        order by r.version_id;
        if _winner is not null then
            perform corpus.retire_version(_old.version_id, _winner);
        end if;
        perform corpus.lay_timeline(_old.document_id);
    end if;
    return true;
end;
$func$;

comment on function corpus.correct_facts is
'Apply corrected facts to a version whose text is the same; false when there was nothing to correct. NULL leaves a fact as it is.';
