-- corpus.held_by_corrected
-- The superseded versions of other documents that a version's document holds back only by what this one corrects: versions under another title that are in force on no day.
--
-- Of one document and day the later staged version is the correction of the earlier. Of a staged
-- version it tells what publishing it would correct. What a curator or a crawler put behind
-- another document has a day of withdrawal and is not among them.
--
-- called by  corpus.settle_version, corpus.reserve_titles, corpus.publish_tasks,
--            corpus.release_corrected
-- raises     nothing

create or replace function corpus.held_by_corrected(version_id bigint)
returns setof corpus.version
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select h.*
    from corpus.version as n
    inner join corpus.version as s
        on n.document_id = s.document_id
        and s.version_id <> n.version_id
        and s.state in ('published', 'superseded')
        and s.title_key is distinct from n.title_key
        -- one that is still published would end where this one begins
        and coalesce(s.valid_to, n.valid_from, n.effective_date, current_date) <= s.valid_from
    inner join corpus.version as h
        on s.version_id = h.superseded_by
        and h.document_id <> n.document_id
        and h.state = 'superseded'
        and h.withdrawn_on is null
        and not h.moved_on
    where n.version_id = held_by_corrected.version_id;
$func$;

comment on function corpus.held_by_corrected is
'The superseded versions of other documents that a version''s document holds back only by what this one corrects: versions under another title that are in force on no day.';
