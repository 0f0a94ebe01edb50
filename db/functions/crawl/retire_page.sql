-- crawl.retire_page
-- Archive a page and take its document out of the search, for good or because another page's document took over; whether a document was retired.
--
-- A text that another address of the site still has stays, under that address.
--
-- called by  crawl.settle_losses
-- writes     crawl.url, audit.event, and what corpus.withdraw, corpus.supersede and corpus.move_document write

create or replace function crawl.retire_page(
    url_id bigint,
    successor_id bigint,
    outcome text,
    reason text
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _page crawl.url;
    _copy crawl.url;
    _is_own boolean;
    _retired boolean := false;
begin
    select u.* into strict _page from crawl.url as u where u.url_id = retire_page.url_id for update;
    select d.source = _page.url into _is_own
    from corpus.document as d
    where d.document_id = _page.document_id;
    if _is_own then
        select u.* into _copy
        from crawl.url as u
        where
            u.document_id = _page.document_id and u.url_id <> _page.url_id and not u.is_archived
        order by u.url_id
        limit 1;
        if found then
            perform corpus.move_document(_page.document_id, _copy.url);
        else
            _retired := corpus.withdraw(
                _page.document_id, retire_page.successor_id,
                concat_ws(': ', 'crawl', retire_page.outcome, retire_page.reason)
            );
        end if;
    end if;
    update crawl.url as u
    set
        is_archived = true,
        archived_at = now(),
        reason = coalesce(retire_page.reason, retire_page.outcome)
    where u.url_id = _page.url_id and retire_page.outcome <> 'duplicate';
    update crawl.url as u
    set
        document_id = retire_page.successor_id,
        version = null,
        content_hash = (
            select v.content_hash
            from corpus.version as v
            where v.document_id = retire_page.successor_id
            order by v.version desc
            limit 1
        )
    where u.url_id = _page.url_id and retire_page.outcome = 'duplicate';
    return _retired;
end;
$func$;

comment on function crawl.retire_page is
'Archive a page and take its document out of the search, for good or because another page''s document took over; whether a document was retired.';
