-- corpus.settle_version
-- Make a staged version the published one and retire what it replaces; when it goes live the caller exposes it, in the same transaction.
--
-- It replaces the published version of its own document and the published documents of the same
-- scope, source family and title key, unless one of them applies from a later day, or a later
-- version of its document was faster: then the staged one is stored as already superseded.
-- A version of one day with an earlier one of its document corrects that: what the earlier replaced
-- by another title is judged anew. Publishing twice changes nothing.
--
-- called by  corpus.publish_version, corpus.publish_claims
-- writes     corpus.version, corpus.chunk_fact, audit.event, what corpus.retire_version and
--            corpus.release_corrected write
-- locks      advisory: shared against embedding.activate, then all title keys of the document and
--            of those that it may bring back, sorted, so that two publishers cannot deadlock; then
--            rows
-- raises     KB009 unknown version, KB010 a chunk lacks its vector, ST002 unusable setting

create or replace function corpus.settle_version(
    version_id bigint,
    out document_id bigint,
    out version integer,
    out superseded_documents bigint[],
    out goes_live boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _new corpus.version;
    _rivals bigint[];
    _winner bigint;
    _held bigint[];
begin
    -- the set must not change between the look for missing vectors and the commit
    perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
    select v.* into _new from corpus.version as v where v.version_id = settle_version.version_id;
    perform corpus.lock_titles(_new.document_id || array(
        select h.document_id from corpus.held_by_corrected(_new.version_id) as h
    ));
    perform from corpus.document as d where d.document_id = _new.document_id for update;
    select v.* into _new
    from corpus.version as v
    where v.version_id = settle_version.version_id
    for update;
    if not found then
        raise exception 'there is no version %', settle_version.version_id
            using errcode = 'KB009', hint = 'It may have been discarded; stage the document again.';
    end if;

    superseded_documents := '{}';
    goes_live := false;
    document_id := _new.document_id;
    version := _new.version;
    if _new.state <> 'staged' then
        return;
    end if;

    perform corpus.check_embedded(_new.version_id);

    select j.losers, j.winner into _rivals, _winner
    from corpus.judge_rivals(_new.version_id) as j;

    _held := array(select h.version_id from corpus.held_by_corrected(_new.version_id) as h);
    if _held <> '{}' then
        perform from corpus.version as v
        where v.version_id = any(_rivals || _held)
        order by v.version_id
        for update;
        perform from corpus.chunk_fact as f
        where f.chunk_id in (
            select c.chunk_id from corpus.chunk as c where c.version_id = any(_rivals || _held)
        )
        order by f.chunk_id
        for update;
    end if;

    insert into corpus.chunk_fact
        (chunk_id, scope_id, status, status_before, tags, quality_score)
    select
        c.chunk_id, c.scope_id,
        case
            when earlier.status in ('rejected', 'flagged') then earlier.status
            when _winner is not null then 'superseded'
            else 'pending'
        end,
        case
            when earlier.status in ('rejected', 'flagged') then null
            when _winner is not null then 'pending'
        end,
        _new.tags,
        corpus.quality_score(
            length(c.content), _new.file_type, cardinality(_new.tags),
            config.value('kb.chunk_size')::integer
        )
    from corpus.chunk as c
    -- a passage that a curator took out stays out when the next version repeats it
    left join lateral (
        select f.status
        from corpus.chunk as p
        inner join corpus.chunk_fact as f on p.chunk_id = f.chunk_id
        where
            p.document_id = c.document_id
            and p.content_hash = c.content_hash
            and p.version_id <> c.version_id
        order by p.version_id desc
        limit 1
    ) as earlier on true
    where c.version_id = _new.version_id;

    update corpus.version as v
    set
        state = 'superseded',
        published_at = now(),
        valid_from = coalesce(v.effective_date, current_date)
    where v.version_id = _new.version_id;
    perform corpus.retire_version(r.version_id, _new.version_id)
    from unnest(_rivals) as r (version_id)
    order by r.version_id;
    select coalesce(array_agg(distinct v.document_id), '{}') into superseded_documents
    from corpus.version as v
    where v.version_id = any(_rivals) and v.document_id <> _new.document_id;

    if _winner is not null then
        update corpus.version as v
        set superseded_by = _winner
        where v.version_id = _new.version_id;
        perform corpus.lay_timeline(_new.document_id);
        perform audit.write_event(
            'superseded', 'version ' || _new.version_id, jsonb_build_object('by', _winner)
        );
    else
        update corpus.version as v set state = 'published' where v.version_id = _new.version_id;
        perform corpus.lay_timeline(_new.document_id);
        goes_live := true;
    end if;
    if _held <> '{}' then
        perform corpus.release_corrected(_new.version_id);
        -- what came back may apply from a later day under the very title
        select goes_live and v.state = 'published' into goes_live
        from corpus.version as v
        where v.version_id = _new.version_id;
    end if;
end;
$func$;

comment on function corpus.settle_version is
'Make a staged version the published one and retire what it replaces; when it goes live the caller exposes it, in the same transaction.';
