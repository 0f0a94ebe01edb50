-- crawl.settle_losses
-- Say of every page a run did not find as it was what that means: retire it, wait for the next run, or let another take over; returns how many documents were retired.
--
-- A page that is gone for good (410), or missing, empty or withdrawn by noindex two times in a row,
-- is archived and its document retired. An address that leads to another page of ours, or says now
-- what another page says, is taken over by that. Failures change no document: they are tried again
-- later each time, and so is what is gone: it rests for as long again as it has been gone, a week at
-- least and ninety days at most, so that one that comes back is noticed. Whatever was looked at has
-- had its turn.
--
-- called by  crawl.finish_job
-- writes     crawl.url, and what crawl.retire_page writes

create or replace function crawl.settle_losses(job_id bigint)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _patience constant integer := 2;
    _longest_rest constant interval := '90 days';
    _lost record;
    _successor bigint;
    _is_seen boolean;
    _retired integer := 0;
begin
    -- of pages without a document, only when to look again
    insert into crawl.url as u (
        site_id, url, depth, wanted, failure_streak, missing_streak, reason, last_checked,
        next_check
    )
    select
        j.site_id, v.url, v.depth, v.wanted,
        (v.outcome in ('failed', 'needs_post'))::integer,
        -- a known one that leads away is judged below
        (
            v.outcome in ('missing', 'gone', 'withdrawn', 'empty')
            or (v.outcome = 'outside' and not v.was_known)
        )::integer,
        v.reason, v.finished_at, now()
    from crawl.visit as v
    inner join crawl.job as j on v.job_id = j.job_id
    where
        v.job_id = settle_losses.job_id and v.kind = 'page'
        and v.outcome in (
            'failed', 'needs_post', 'missing', 'gone', 'withdrawn', 'empty', 'moved', 'outside'
        )
    on conflict on constraint url_once_per_site do update
    set
        failure_streak = u.failure_streak + excluded.failure_streak,
        missing_streak = u.missing_streak + excluded.missing_streak,
        reason = excluded.reason,
        last_checked = excluded.last_checked;
    update crawl.url as u
    set next_check = now() + case
        when u.document_id is not null and u.missing_streak > 0 then interval '0'
        -- an hour, two, four ...
        else least(
            case when u.missing_streak > 0 then _longest_rest else interval '7 days' end,
            interval '1 hour' * power(2, least(u.failure_streak + u.missing_streak, 20) - 1)
        )
    end
    from crawl.visit as v
    inner join crawl.job as j on v.job_id = j.job_id
    where
        v.job_id = settle_losses.job_id and v.kind = 'page' and u.site_id = j.site_id
        and v.url = u.url
        and (
            v.outcome in ('failed', 'needs_post', 'missing', 'gone', 'withdrawn', 'empty')
            or (v.outcome = 'outside' and not v.was_known)
        );
    update crawl.url as u
    set last_checked = v.finished_at
    from crawl.visit as v
    inner join crawl.job as j on v.job_id = j.job_id
    where
        v.job_id = settle_losses.job_id and v.kind = 'page' and u.site_id = j.site_id
        and v.url = u.url and v.outcome = 'duplicate';

    for _lost in
        select u.url_id, u.site_id, u.missing_streak, v.outcome, v.reason, v.successor
        from crawl.visit as v
        inner join crawl.job as j on v.job_id = j.job_id
        inner join crawl.url as u on u.site_id = j.site_id and v.url = u.url
        where
            v.job_id = settle_losses.job_id
            and v.was_known
            and u.document_id is not null and not u.is_archived
            and v.outcome in (
                'gone', 'missing', 'withdrawn', 'empty', 'moved', 'outside', 'duplicate'
            )
        order by u.url_id
    loop
        _successor := null;
        if _lost.outcome in ('moved', 'duplicate') then
            select
                u.document_id,
                exists (
                    select from corpus.version as v
                    where v.document_id = u.document_id and v.state = 'published'
                )
            into _successor, _is_seen
            from crawl.url as u
            where
                u.site_id = _lost.site_id and u.url = _lost.successor
                and u.document_id is not null and not u.is_archived;
            -- better the old text than none: the next run finds the other one published
            continue when _successor is not null and not _is_seen;
            continue when _successor is null and _lost.outcome = 'duplicate';
        end if;
        if _lost.outcome in ('moved', 'outside') and _successor is null then
            update crawl.url as u
            set missing_streak = u.missing_streak + 1
            where u.url_id = _lost.url_id
            returning u.missing_streak into _lost.missing_streak;
        end if;
        if _successor is not null or _lost.outcome = 'gone'
            or _lost.missing_streak >= _patience
        then
            _retired := _retired + crawl.retire_page(
                _lost.url_id, _successor, _lost.outcome, _lost.reason
            )::integer;
        end if;
    end loop;
    update crawl.url as u
    set next_check = now() + least(
        _longest_rest, greatest(interval '7 days', now() - u.archived_at)
    )
    from crawl.visit as v
    inner join crawl.job as j on v.job_id = j.job_id
    where
        v.job_id = settle_losses.job_id and v.kind = 'page' and v.outcome <> 'blocked'
        and u.site_id = j.site_id and v.url = u.url and u.is_archived;
    return _retired;
end;
$func$;

comment on function crawl.settle_losses is
'Say of every page a run did not find as it was what that means: retire it, wait for the next run, or let another take over; returns how many documents were retired.';
