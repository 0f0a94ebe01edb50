-- crawl.note_answer
-- Keep what a page answered beside what is known of it; the page as it was before.
--
-- Validators are kept byte for byte. An etag that is the same although the text is another is
-- known for a lie from then on and never sent back: the site would say "not modified" to it.
--
-- called by  crawl.record_bytes, crawl.record_page
-- writes     crawl.url

create or replace function crawl.note_answer(
    visit crawl.visit,
    etag text,
    last_modified text,
    body_hash bytea,
    extractor text,
    content_hash bytea default null
)
returns crawl.url
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _site_id bigint;
    _old crawl.url;
begin
    select j.site_id into strict _site_id
    from crawl.job as j
    where j.job_id = (note_answer.visit).job_id;
    insert into crawl.url as u (site_id, url, depth, wanted)
    values (
        _site_id, (note_answer.visit).url, (note_answer.visit).depth, (note_answer.visit).wanted
    )
    on conflict on constraint url_once_per_site do nothing;
    select u.* into strict _old
    from crawl.url as u
    where u.site_id = _site_id and u.url = (note_answer.visit).url
    for update;
    update crawl.url as u
    set
        depth = least(u.depth, (note_answer.visit).depth),
        wanted = u.wanted or (note_answer.visit).wanted,
        etag = note_answer.etag,
        etag_lies = u.etag_lies or coalesce(
            crawl.same_etag(u.etag, note_answer.etag)
            and u.extractor = note_answer.extractor
            and u.content_hash <> note_answer.content_hash,
            false
        ),
        last_modified = note_answer.last_modified,
        last_modified_at = crawl.http_date(note_answer.last_modified),
        body_hash = coalesce(note_answer.body_hash, u.body_hash),
        content_hash = coalesce(note_answer.content_hash, u.content_hash),
        extractor = note_answer.extractor,
        blocked_by_robots = false,
        failure_streak = 0,
        missing_streak = 0,
        reason = null,
        last_checked = now(),
        next_check = now()
    where u.url_id = _old.url_id;
    return _old;
end;
$func$;

comment on function crawl.note_answer is
'Keep what a page answered beside what is known of it; the page as it was before.';
