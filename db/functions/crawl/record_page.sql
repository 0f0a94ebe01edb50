-- crawl.record_page
-- Be done with a page whose text was read: its links join the frontier, and a new or changed text is staged; the outcome, NULL when the task is lost.
--
-- The hash of the text decides. The same text is unchanged and stages nothing, also under another
-- extractor. A text that another page of the site has is one document: a new page is a duplicate
-- of it; a known one keeps its own until the end of the run tells whether half the site says the
-- same now (a login wall, a notice of maintenance). A page that names another as its canonical
-- address is a copy of that, where that is a page that is there. Without a body only its links
-- count, and no_text says why there is none: withdrawn (it asks not to be kept), empty or needs_post.
-- A body that is called empty is navigation alone, which is no text of a page that had one. What was
-- known of it stays until the end of the run. Bytes that had a text once and have none now are a
-- fault of the reader, not of the page.
--
-- called by  ingest/crawl/calls.py
-- writes     crawl.url, and what crawl.add_visits, crawl.close_visit, corpus.stage_document and
--            corpus.withdraw write
-- raises     what corpus.stage_document raises

create or replace function crawl.record_page(
    task_id bigint,
    lease_token uuid,
    visit_id bigint,
    size bigint,
    etag text,
    last_modified text,
    body_hash bytea,
    extractor text,
    title text default null,
    body text default null,
    file_type text default null,
    metadata jsonb default '{}',
    canonical text default null,
    links jsonb default '[]',
    no_text text default null
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _visit crawl.visit;
    _site crawl.site;
    _old crawl.url;
    _twin crawl.url;
    _hash bytea := corpus.content_hash(record_page.body);
    _outcome text;
    _successor text;
    _reason text;
    _staged record;
    _version integer;
    _keeps_document boolean := false;
    _is_as_it_was boolean;
    _had_text boolean;
begin
    select f.* into _visit
    from crawl.fence(record_page.task_id, record_page.lease_token, record_page.visit_id) as f;
    if not found then
        return null;
    end if;
    select s.* into strict _site
    from crawl.job as j
    inner join crawl.site as s on j.site_id = s.site_id
    where j.job_id = _visit.job_id;
    select u.* into _old
    from crawl.url as u
    where u.site_id = _site.site_id and u.url = _visit.url;
    _had_text := _visit.was_known or coalesce(_old.is_archived, false);
    _is_as_it_was := coalesce(_old.content_hash = _hash and crawl.is_held(_old, true), false);
    -- a page that leads to a copy leads where the copy does
    perform crawl.add_visits(
        _visit.job_id,
        record_page.links
        || case
            when record_page.canonical <> _visit.url
                then jsonb_build_array(
                    jsonb_build_object('url', record_page.canonical, 'wanted', _visit.wanted)
                )
            else '[]'
        end,
        _visit.depth + 1
    );

    if record_page.body is null or not _visit.wanted or (
        record_page.no_text = 'empty' and _old.document_id is not null and not _is_as_it_was
    ) then
        _outcome := case
            when not _visit.wanted then 'read'
            when record_page.no_text = 'needs_post' then 'needs_post'
            when _had_text and record_page.no_text = 'withdrawn' then 'withdrawn'
            when _had_text and _old.body_hash = record_page.body_hash then 'failed'
            when _had_text then 'empty'
            when record_page.no_text = 'empty' and record_page.links = '[]' then 'failed'
            else 'read'
        end;
        _reason := case _outcome
            when 'needs_post' then 'its scripts ask for its text by POST, which a crawler does not'
            when 'withdrawn' then 'it asks not to be kept (noindex)'
            when 'empty' then 'it has no text any more'
            when 'failed' then 'no text is found in it'
        end;
        -- not read, so its bytes stand for what it says
        _hash := coalesce(_hash, record_page.body_hash);
    elsif _is_as_it_was then
        _outcome := 'unchanged';
    else
        select u.* into _twin
        from crawl.url as u
        inner join corpus.document as d on u.document_id = d.document_id and u.url = d.source
        where
            u.site_id = _site.site_id
            and u.url <> _visit.url
            and not u.is_archived
            and crawl.is_held(u, true)
            and (
                u.content_hash = _hash
                -- the front page is everybody's canonical where templates are wrong
                or (u.url = record_page.canonical and u.url <> all(_site.seeds))
            )
        order by u.url = record_page.canonical desc, u.url_id
        limit 1;
        if found then
            _outcome := 'duplicate';
            _successor := _twin.url;
        end if;
    end if;

    -- a known page that says what another says, or nothing, keeps what is known of it for now:
    -- with these bytes noted, the next run would take them for unchanged
    if _outcome in ('failed', 'needs_post', 'withdrawn', 'empty') is not true and (
        _outcome = 'duplicate' and _visit.was_known and _old.document_id <> _twin.document_id
    ) is not true then
        perform crawl.note_answer(
            _visit, record_page.etag, record_page.last_modified, record_page.body_hash,
            record_page.extractor, _hash
        );
        if _outcome = 'duplicate' then
            _keeps_document := true;
            update crawl.url as u
            set
                document_id = _twin.document_id,
                version = null,
                content_hash = _twin.content_hash,
                is_archived = false,
                archived_at = null
            where u.site_id = _site.site_id and u.url = _visit.url;
        end if;
    end if;

    if _outcome is null then
        select s.* into strict _staged
        from corpus.stage_document(
            source => _visit.url,
            title => record_page.title,
            body => record_page.body,
            file_type => record_page.file_type,
            la_code => _site.la_code,
            school_urn => _site.school_urn,
            tags => _site.tags,
            document_type => _site.document_type,
            metadata => record_page.metadata
        ) as s;
        select v.version into _version
        from corpus.version as v
        where v.version_id = _staged.version_id;
        _outcome := case
            when _staged.outcome in ('unchanged', 'updated') then 'unchanged'
            when _staged.outcome = 'duplicate' or _staged.existing_source <> _visit.url
                then 'duplicate'
            when _version > 1 then 'changed'
            else 'new'
        end;
        -- a school that is another authority's now, or a host that became a national one: the page
        -- has a document there, and what was said here before is not said any more
        perform corpus.withdraw(
            d.document_id, null, 'crawl: the page belongs to another scope'
        )
        from corpus.document as d
        inner join corpus.document as n on d.source = n.source and d.scope_id <> n.scope_id
        where d.document_id = _old.document_id and n.document_id = _staged.document_id;
        -- of another page, whose text it is, there is one document
        _successor := case when _outcome = 'duplicate' then _staged.existing_source end;
        -- its copies that this run has seen already say something else now: they are looked at again
        update crawl.visit as v
        set outcome = null, reason = null, successor = null, finished_at = null, attempts = 0
        from crawl.url as u
        where
            _outcome = 'changed'
            and u.document_id = _staged.document_id and u.site_id = _site.site_id
            and u.url <> _visit.url
            and v.job_id = _visit.job_id and v.url = u.url
            and v.outcome in ('unchanged', 'duplicate');
        _keeps_document := true;
        update crawl.url as u
        set
            document_id = _staged.document_id,
            version = _version,
            last_changed = case
                when _outcome in ('new', 'changed') then now() else u.last_changed
            end,
            is_archived = false,
            archived_at = null
        where u.site_id = _site.site_id and u.url = _visit.url;
    end if;
    perform crawl.close_visit(
        record_page.task_id, record_page.lease_token, _visit, _outcome,
        reason => _reason, successor => _successor, size => record_page.size,
        was_parsed => record_page.body is not null, keeps_document => _keeps_document
    );
    return _outcome;
end;
$func$;

comment on function crawl.record_page is
'Be done with a page whose text was read: its links join the frontier, and a new or changed text is staged; the outcome, NULL when the task is lost.';
