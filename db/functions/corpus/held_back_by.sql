-- corpus.held_back_by
-- The superseded versions that a version's document holds back by title or by this day alone: nobody decided so, and their sources are still there.
--
-- Of its own document those that are behind it itself: earlier ones, and later ones that apply
-- from an earlier day than this; of others it was decided. What a curator or a crawler put behind
-- another document has a day of withdrawal and is not among them.
--
-- called by  corpus.correct_facts, corpus.release_outranked
-- raises     nothing

create or replace function corpus.held_back_by(version_id bigint, day date)
returns setof corpus.version
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select h.*
    from corpus.version as n
    inner join corpus.version as s on n.document_id = s.document_id
    inner join corpus.version as h
        on s.version_id = h.superseded_by
        and h.state = 'superseded'
        and h.withdrawn_on is null
        and not h.moved_on
        and (
            h.document_id <> n.document_id
            or (
                s.version_id = n.version_id
                and (h.version < n.version or h.effective_date < held_back_by.day)
            )
        )
    where n.version_id = held_back_by.version_id;
$func$;

comment on function corpus.held_back_by is
'The superseded versions that a version''s document holds back by title or by this day alone: nobody decided so, and their sources are still there.';
