-- corpus.stage_document
-- Store a parsed text as a version nobody sees yet, unless it is there already; the caller embeds and publishes it.
--
-- Outcomes: staged (new text, or one whose first holder died: embed and publish it), unchanged
-- (this source has this text), duplicate (another source of the same scope has it; existing_*
-- says which, and what this source said before is retired). The task publish_version is enqueued
-- with a staged one, leased to lease_holder: if the holder dies, a worker finishes the document.
--
-- called by  ingest/calls.py, intake.stage_page
-- writes     corpus.scope, corpus.document, corpus.version, corpus.chunk, queue.task
-- locks      advisory: the text within its scope, then the source within its scope
-- raises     KB001 no text, KB002 unknown tag, KB003 too long, KB004 unknown kind of publisher,
--            KB006 the school is another authority's, KB007 a share without an owner,
--            KB011 unknown file type, KB012 no source or an endless one, PL001, PL002

create or replace function corpus.stage_document(
    source text,
    title text,
    body text,
    file_type text,
    la_code text default null,
    school_urn text default null,
    owner text default null,
    principals text[] default null,
    tags text[] default '{}',
    authority text default null,
    document_type text default null,
    effective_date date default null,
    metadata jsonb default '{}',
    lease_holder text default null
)
returns table (
    outcome text,
    document_id bigint,
    version_id bigint,
    existing_document_id bigint,
    existing_source text,
    chunk_count integer,
    task_id bigint,
    lease_token uuid
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _source text := btrim(coalesce(stage_document.source, ''));
    -- it stands before every passage that is embedded: a runaway one must not drown the text
    _title text := left(coalesce(nullif(btrim(stage_document.title), ''), _source), 300);
    _host text := corpus.source_host(_source);
    _domain corpus.domain;
    _scope_id bigint;
    _authority text := nullif(btrim(stage_document.authority), '');
    _tags text[];
    _hash bytea;
    _limit integer := config.value('kb.max_document_length')::integer;
    _known record;
    _withdrawn bigint;
    _task queue.task;
begin
    if _source = '' then
        raise exception 'a document needs a source'
            using errcode = 'KB012', hint = 'Give the address or the file name it came from.';
    end if;
    if length(_source) > 2000 then
        raise exception 'the source is too long: % characters', length(_source)
            using errcode = 'KB012', hint = 'Give an address or a name of at most 2000 characters.';
    end if;
    -- white space and invisible characters are no text
    if coalesce(stage_document.body, '')
        !~ E'[^\\s\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]'
    then
        raise exception 'the document holds no text'
            using errcode = 'KB001',
                  hint = 'A scanned document needs its text recognised (OCR) before it is added.';
    end if;
    if length(stage_document.body) > _limit then
        raise exception 'the document is too long: % characters, at most % are taken',
            length(stage_document.body), _limit
            using errcode = 'KB003', hint = 'Split it, or raise kb.max_document_length.';
    end if;
    if coalesce(stage_document.file_type, '') not in ('pdf', 'docx', 'html', 'txt') then
        raise exception 'file type "%" is not known', left(stage_document.file_type, 20)
            using errcode = 'KB011', hint = 'Give pdf, docx, html or txt.';
    end if;
    _tags := corpus.check_tags(stage_document.tags);
    perform corpus.check_rank(_authority);

    -- pages of national sites hold everywhere, whoever adds them
    select d.* into _domain from corpus.domain as d where d.domain = _host;
    if found and stage_document.owner is null
        and coalesce(cardinality(stage_document.principals), 0) = 0
    then
        _scope_id := corpus.scope_for();
        -- not used, but a wrong one is a mistake all the same
        perform place.check_school(nullif(btrim(stage_document.school_urn), ''));
        begin
            perform place.resolve_authority(nullif(btrim(stage_document.la_code), ''));
        exception when sqlstate 'PL003' then
            null;
        end;
        _authority := coalesce(_authority, _domain.authority);
    else
        _scope_id := corpus.scope_for(
            stage_document.la_code, stage_document.school_urn,
            stage_document.owner, stage_document.principals
        );
    end if;
    _authority := coalesce(_authority, (
        select r.authority
        from corpus.scope as s
        inner join corpus.authority_rank as r
            on r.authority = case s.kind when 'private' then 'user_upload' else s.kind end
        where s.scope_id = _scope_id
    ));

    _hash := corpus.content_hash(stage_document.body);
    -- texts before sources, always: two uploads that cross cannot wait for each other
    perform pg_advisory_xact_lock(hashtextextended(_scope_id || encode(_hash, 'hex'), 1));
    perform pg_advisory_xact_lock(hashtextextended(_scope_id || ' ' || _source, 2));

    select
        d.document_id, d.source, v.version_id, v.state,
        t.task_id, t.ready_at, t.claimed_by, t.dead,
        (
            select count(*)::integer from corpus.chunk as c where c.version_id = v.version_id
        ) as chunks
    into _known
    from corpus.version as v
    inner join corpus.document as d on v.document_id = d.document_id
    left join queue.task as t on t.kind = 'publish_version' and t.subject_id = v.version_id
    where
        v.content_hash = _hash
        and d.scope_id = _scope_id
        and (
            v.state in ('published', 'staged')
            -- or an older document that a newer one of its title outranks: adding it again
            -- must not make a version each time
            or (
                d.source = _source
                and v.version = (
                    select max(o.version) from corpus.version as o
                    where o.document_id = d.document_id
                )
            )
        )
    order by v.state = 'published' desc, d.source = _source desc, v.version_id
    limit 1;

    if found and _known.state = 'staged'
        and (
            _known.task_id is null
            or _known.dead
            or (_known.claimed_by is not null and _known.ready_at <= clock_timestamp())
            -- nobody has it yet: a holder takes it, without one it waits as before
            or (_known.claimed_by is null and stage_document.lease_holder is not null)
        )
    then
        -- whoever staged it died or gave up: go on from there
        _task := queue.enqueue('publish_version', _known.version_id, stage_document.lease_holder);
        return query select
            'staged', _known.document_id, _known.version_id, null::bigint, null::text,
            _known.chunks, _task.task_id, _task.lease_token;
        return;
    end if;
    if found then
        if _known.source <> _source and _known.state = 'published' then
            -- this source says now what another one says: what it said before is outdated, but
            -- held until now
            update corpus.version as v
            set withdrawn_on = coalesce(stage_document.effective_date, current_date)
            from corpus.document as d
            where
                d.scope_id = _scope_id and d.source = _source
                and v.document_id = d.document_id and v.state = 'published'
            returning v.version_id into _withdrawn;
            perform corpus.retire_version(_withdrawn, _known.version_id);
        end if;
        return query select
            case when _known.source = _source and _known.state <> 'staged'
                then 'unchanged' else 'duplicate' end,
            _known.document_id, _known.version_id, _known.document_id, _known.source,
            _known.chunks, null::bigint, null::uuid;
        return;
    end if;

    insert into corpus.document as d (scope_id, source, source_family)
    values (_scope_id, _source, coalesce(_host, 'upload'))
    on conflict on constraint document_once_per_source do nothing;
    select d.document_id into strict document_id
    from corpus.document as d
    where d.scope_id = _scope_id and d.source = _source;

    insert into corpus.version as v (
        document_id, version, title, title_key, content_hash, file_type, document_type,
        authority, tags, effective_date, metadata
    )
    select
        stage_document.document_id,
        1 + coalesce(max(o.version), 0),
        _title,
        corpus.title_key(_title),
        _hash,
        stage_document.file_type,
        nullif(btrim(stage_document.document_type), ''),
        _authority,
        _tags,
        stage_document.effective_date,
        coalesce(stage_document.metadata, '{}')
    from corpus.version as o
    where o.document_id = stage_document.document_id
    returning v.version_id into version_id;

    insert into corpus.chunk as c (
        version_id, document_id, scope_id, chunk_index, start_at, content, page_from, page_to,
        heading_path, content_hash, embedding_hash
    )
    select
        stage_document.version_id, stage_document.document_id, _scope_id, p.chunk_index,
        p.start_at, p.content, p.page_from, p.page_to, p.heading_path,
        sha256(convert_to(p.content, 'UTF8')),
        sha256(convert_to(embedding.text_of(_title, p.content), 'UTF8'))
    from corpus.passages(stage_document.body, stage_document.metadata) as p;
    get diagnostics chunk_count = row_count;

    _task := queue.enqueue('publish_version', version_id, stage_document.lease_holder);
    outcome := 'staged';
    task_id := _task.task_id;
    lease_token := _task.lease_token;
    return next;
end;
$func$;

comment on function corpus.stage_document is
'Store a parsed text as a version nobody sees yet, unless it is there already; the caller embeds and publishes it.';
