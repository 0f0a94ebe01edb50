-- corpus.stage_document
-- Store a parsed text as a version nobody sees yet, unless it is there already; the caller embeds and publishes it.
--
-- Outcomes: staged (new text, or one whose first holder died: embed and publish it), in_progress
-- (somebody else is adding this text now, or it waits for a worker: task_id says which task),
-- unchanged (this source has this text), updated (the same, and facts given now differ and were
-- corrected), duplicate (another source of the same scope has it; existing_* says which, and what
-- this source said before is retired). A fact that is not given corrects nothing, nor does a title
-- that was only guessed: title_is_stated says so. The task publish_version is enqueued with a
-- staged one, leased to lease_holder and its connection: if the holder dies, a worker finishes it.
--
-- A file is known by its name within the folder that was given, and two folders may hold one name:
-- origin stands for the place it lies in. A name that is known from another origin passes on to
-- the next of other_sources, so that no file becomes a version of another folder's; kept_as is
-- the name it has. Without an origin the source is the identity.
--
-- called by  ingest/calls.py, intake.stage_page, intake.stage_upload_file, crawl.record_page
-- writes     corpus.scope, corpus.document, corpus.version, corpus.chunk, queue.task, and what
--            corpus.correct_facts and corpus.retire_version write
-- locks      advisory: the text within its scope, then the source within its scope; where a text
--            is retired or corrected, then as corpus.publish_version
-- raises     KB001 no text, KB002 unknown tag, KB003 too long, KB004 unknown kind of publisher,
--            KB006 the school is another authority's, KB007 a share without an owner, KB011 unknown
--            file type, KB012 no source or an endless one, KB015 all names are taken, PL001, PL002,
--            ST002 unusable setting

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
    lease_holder text default null,
    title_is_stated boolean default true,
    origin text default null,
    other_sources text[] default '{}'
)
returns table (
    outcome text,
    kept_as text,
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
    _given_title text := left(nullif(btrim(stage_document.title), ''), 300);
    _given_authority text := _authority;
    _given_type text := nullif(btrim(stage_document.document_type), '');
    _tags text[];
    _corrected boolean;
    _is_taken boolean;
    _is_renamed boolean;
    _hash bytea;
    _limit integer := config.value('kb.max_document_length')::integer;
    _known record;
    _said_before bigint[];
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
    if not stage_document.title_is_stated then
        _given_title := null;
    end if;

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
    foreach kept_as in array array_prepend(_source, stage_document.other_sources) loop
        perform pg_advisory_xact_lock(hashtextextended(_scope_id || ' ' || kept_as, 2));
        _is_taken := exists (
            select
            from corpus.document as d
            where
                d.scope_id = _scope_id and d.source = kept_as
                and d.origin <> stage_document.origin
        );
        exit when not _is_taken;
    end loop;
    if _is_taken then
        raise exception '% is kept from another folder', _source
            using errcode = 'KB015', hint = 'Name it apart: pgkb ingest PATH --source NAME.';
    end if;
    _is_renamed := kept_as <> _source;
    _source := kept_as;

    select
        d.document_id, d.source, v.version_id, v.state, t.task_id,
        (
            t.task_id is null
            or t.dead
            or (t.lease_token is not null and t.ready_at <= clock_timestamp())
            or (
                t.holder_pid is not null
                and t.holder_pid not in (select a.pid from pg_stat_activity as a)
            )
            -- nobody has it yet: a holder takes it, without one it waits as before
            or (t.lease_token is null and stage_document.lease_holder is not null)
        ) as is_free,
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
            v.state = 'staged'
            -- what curators took out altogether is nothing to point another source at
            or (v.state = 'published' and (
                d.source = _source
                or exists (
                    select
                    from corpus.chunk as c
                    inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
                    where c.version_id = v.version_id and f.status in ('pending', 'approved')
                )
                -- nor, of two web pages, is what the other is about to say no more
                and not (
                    _host is not null
                    and exists (
                        select from corpus.version as n
                        where n.document_id = v.document_id and n.state = 'staged'
                    )
                )
            ))
            -- or an older document that a newer one of its title outranks: adding it again
            -- must not make a version each time, unless it or what outranked it is corrected,
            -- or the source said something else in between
            or (
                d.source = _source
                and v.version = (
                    select max(o.version) from corpus.version as o
                    where o.document_id = d.document_id
                )
                and not v.moved_on
                and exists (
                    select
                    from corpus.version as s
                    where
                        s.version_id = v.superseded_by
                        and (
                            s.state <> 'published'
                            or s.document_id = v.document_id
                            or v.withdrawn_on is not null
                            or (s.title_key = v.title_key and s.valid_from >= v.valid_from)
                        )
                )
                and coalesce(stage_document.effective_date = v.effective_date, true)
                and coalesce(_given_title = v.title, true)
            )
        )
    order by v.state = 'published' desc, d.source = _source desc, v.version_id
    limit 1;

    if found and _known.state = 'staged' and not _known.is_free then
        return query select
            'in_progress', kept_as, _known.document_id, _known.version_id, _known.document_id,
            _known.source, _known.chunks, _known.task_id, null::uuid;
        return;
    end if;
    if found then
        if _known.source = _source and _known.state <> 'superseded' then
            _corrected := corpus.correct_facts(
                _known.version_id, _given_title, nullif(_tags, '{}'), _given_authority,
                _given_type, stage_document.effective_date
            );
        end if;
        if _known.state = 'staged' then
            -- whoever staged it died or gave up: go on from there
            _task := queue.enqueue(
                'publish_version', _known.version_id, stage_document.lease_holder
            );
            return query select
                'staged', kept_as, _known.document_id, _known.version_id, null::bigint, null::text,
                _known.chunks, _task.task_id, _task.lease_token;
            return;
        end if;
        if _known.source <> _source then
            -- this source says now what another one says: what it said before is outdated, but
            -- held until now
            select array_agg(d.document_id) into _said_before
            from corpus.document as d
            inner join corpus.version as v on d.document_id = v.document_id
            where d.scope_id = _scope_id and d.source = _source and v.state = 'published';
            if _said_before is not null then
                perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
                perform corpus.lock_titles(_said_before || _known.document_id);
                perform from corpus.document as d
                where d.document_id = any(_said_before || _known.document_id)
                order by d.document_id
                for update;
            end if;
            update corpus.version as v
            set
                withdrawn_on = coalesce(stage_document.effective_date, current_date),
                moved_on = not d.stands_alone
            from corpus.document as d
            where
                d.scope_id = _scope_id and d.source = _source
                and v.document_id = d.document_id and v.state = 'published'
                -- unless the other has changed just now: better the old text than none
                and exists (
                    select from corpus.version as k
                    where k.version_id = _known.version_id and k.state = 'published'
                )
            returning v.version_id into _withdrawn;
            perform corpus.retire_version(_withdrawn, _known.version_id);
        end if;
        return query select
            case
                when _known.source <> _source then 'duplicate'
                when _corrected then 'updated'
                else 'unchanged'
            end,
            kept_as, _known.document_id, _known.version_id, _known.document_id, _known.source,
            _known.chunks, null::bigint, null::uuid;
        return;
    end if;

    insert into corpus.document as d (scope_id, source, source_family, origin)
    values (_scope_id, _source, coalesce(_host, 'upload'), stage_document.origin)
    on conflict on constraint document_once_per_source do update
    set origin = excluded.origin
    where d.origin is null and excluded.origin is not null;
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
        -- told apart from a file of the same name, it must not replace it by a title that is equal
        -- because the names are
        case
            when stage_document.title_is_stated or not _is_renamed
                then corpus.rival_key(_title, _source, stage_document.effective_date)
        end,
        _hash,
        stage_document.file_type,
        _given_type,
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
