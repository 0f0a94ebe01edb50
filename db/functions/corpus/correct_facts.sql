-- corpus.correct_facts
-- Apply corrected facts to a version whose text is the same; false when there was nothing to correct. NULL leaves a fact as it is.
--
-- A published version keeps its vectors, so a corrected title is found by its words at once and
-- by its meaning from the next text on. Tags a curator changed stay. A corrected title or day
-- may make it replace others, or be replaced, as at its publication; and what it held back by the
-- wrong one comes back at once.
--
-- called by  corpus.stage_document
-- writes     corpus.version, corpus.chunk (hashes of a staged one), corpus.chunk_fact,
--            search.text_index, audit.event, and what corpus.retire_version and
--            corpus.release_outranked write
-- locks      advisory: as corpus.publish_version, also the titles of what it holds back; then rows:
--            its document, versions, facts of chunks, each sorted
-- raises     ST002 unusable setting

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
    _title text;
    _title_key text;
    _tags text[];
    _day date;
    -- its place among others may be another now
    _is_judged boolean;
    _documents bigint[];
    _losers bigint[];
    _winner bigint;
begin
    select v.* into strict _old
    from corpus.version as v
    where v.version_id = correct_facts.version_id;
    _title := coalesce(correct_facts.title, _old.title);
    _tags := coalesce(correct_facts.tags, _old.tags);
    _day := coalesce(correct_facts.effective_date, _old.effective_date);
    select
        case
            -- of a file it was decided when it was staged
            when _title = _old.title and (
                (_day is null) = (_old.effective_date is null)
                or corpus.source_host(d.source) is null
            )
                then _old.title_key
            else corpus.rival_key(_title, d.source, _day)
        end
    into _title_key
    from corpus.document as d
    where d.document_id = _old.document_id;
    if _title = _old.title
        and _tags = _old.tags
        and _day is not distinct from _old.effective_date
        and coalesce(correct_facts.authority = _old.authority, correct_facts.authority is null)
        and coalesce(
            correct_facts.document_type = _old.document_type, correct_facts.document_type is null
        )
    then
        return false;
    end if;

    _is_judged := _old.state <> 'staged' and (
        _title_key is distinct from _old.title_key or _day is distinct from _old.effective_date
    );
    _documents := array[_old.document_id];
    if _is_judged then
        -- what comes back needs its vectors in the set that is active
        perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
        select _documents || coalesce(array_agg(h.document_id), '{}') into _documents
        from corpus.held_back_by(_old.version_id, _old.effective_date) as h;
    end if;
    perform corpus.lock_titles(_documents, _title_key);
    perform from corpus.document as d where d.document_id = _old.document_id for update;
    if _is_judged then
        perform from corpus.version as v
        where v.version_id = _old.version_id or v.version_id in (
            select h.version_id from corpus.held_back_by(_old.version_id, _old.effective_date) as h
        )
        order by v.version_id
        for update;
    end if;
    -- what is published meanwhile is corrected the next time
    perform from corpus.version as v
    where v.version_id = _old.version_id and v.state = _old.state
    for update;
    if not found then
        return false;
    end if;
    update corpus.version as v
    set
        title = _title,
        title_key = _title_key,
        tags = _tags,
        authority = coalesce(correct_facts.authority, v.authority),
        document_type = coalesce(correct_facts.document_type, v.document_type),
        effective_date = _day,
        valid_from = case
            when _day is distinct from _old.effective_date and v.state <> 'staged' then _day
            else v.valid_from
        end
    where v.version_id = _old.version_id
    returning v.* into _new;

    if _old.state = 'staged' then
        if _title <> _old.title then
            update corpus.chunk as c
            set embedding_hash
                = sha256(convert_to(embedding.text_of(_title, c.content), 'UTF8'))
            where
                c.version_id = _old.version_id
                and not exists (
                    select from embedding.cold_vector as k where k.chunk_id = c.chunk_id
                );
        end if;
        return true;
    end if;

    if _is_judged then
        perform from corpus.chunk_fact as f
        where f.chunk_id in (
            select c.chunk_id
            from corpus.chunk as c
            where c.version_id in (
                select _old.version_id
                union all
                select h.version_id
                from corpus.held_back_by(_old.version_id, _old.effective_date) as h
                union all
                select r.version_id from corpus.rivals_of(_old.version_id) as r
            )
        )
        order by f.chunk_id
        for update;
    end if;
    if _tags <> _old.tags then
        perform from corpus.chunk_fact as f
        where f.chunk_id in (
            select c.chunk_id from corpus.chunk as c where c.version_id = _old.version_id
        )
        order by f.chunk_id
        for update;
        update corpus.chunk_fact as f
        set
            tags = _tags,
            quality_score = corpus.quality_score(
                length(c.content), _old.file_type, cardinality(_tags),
                config.value('kb.chunk_size')::integer
            )
        from corpus.chunk as c
        where
            c.version_id = _old.version_id
            and f.chunk_id = c.chunk_id
            and f.tags = _old.tags;
    end if;
    if _title <> _old.title and _old.state = 'published' then
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
            where n.value <> o.value and n.key not in ('title_key', 'valid_from')
        )
    );
    if _is_judged then
        if _old.state = 'published' then
            select j.losers, j.winner into _losers, _winner
            from corpus.judge_rivals(_old.version_id) as j;
            perform corpus.retire_version(r.version_id, _old.version_id)
            from unnest(_losers) as r (version_id)
            order by r.version_id;
            if _winner is not null then
                perform corpus.retire_version(_old.version_id, _winner);
            end if;
            perform corpus.release_outranked(_old.version_id, _old.effective_date);
        end if;
        perform corpus.lay_timeline(_old.document_id);
    end if;
    return true;
end;
$func$;

comment on function corpus.correct_facts is
'Apply corrected facts to a version whose text is the same; false when there was nothing to correct. NULL leaves a fact as it is.';
