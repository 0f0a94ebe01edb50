-- crawl.is_held
-- Whether what a page said when it was last read is in the corpus, or need not be: then the same again is no news.
--
-- The latest text of the document counts, whoever took it out of the search: that was decided.
--
-- called by  crawl.next_step, crawl.record_page, crawl.record_bytes
-- raises     nothing

create or replace function crawl.is_held(page crawl.url, wanted boolean)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(
        (is_held.page).content_hash is not null
        and not (is_held.page).is_archived
        and (
            not is_held.wanted
            or (
                select v.content_hash
                from corpus.version as v
                where v.document_id = (is_held.page).document_id
                order by v.version desc
                limit 1
            ) = (is_held.page).content_hash
        ),
        false
    );
$func$;

comment on function crawl.is_held is
'Whether what a page said when it was last read is in the corpus, or need not be: then the same again is no news.';
