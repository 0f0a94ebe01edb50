-- corpus.outranks
-- Whether a published rival stays although this version comes: of two documents the one that applies from a later day, an undated one from the day it came.
--
-- So the order of arrival decides only between two of one day, where the later one holds: whoever
-- comes now; of two that are there the later staged. Of one document the later version holds
-- unless both are dated and it is the older: what a source says now counts, also where it gives no
-- date any more.
--
-- called by  corpus.judge_rivals, corpus.release_outranked, corpus.release_version
-- raises     nothing

create or replace function corpus.outranks(rival corpus.version, newcomer corpus.version)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select case
        when (outranks.rival).document_id <> (outranks.newcomer).document_id
            then (
                (outranks.rival).valid_from,
                (outranks.newcomer).state <> 'staged'
                and (outranks.rival).version_id > (outranks.newcomer).version_id
            ) > (
                coalesce(
                    (outranks.newcomer).effective_date, (outranks.newcomer).valid_from, current_date
                ),
                false
            )
        else
            coalesce(
                (outranks.rival).effective_date > (outranks.newcomer).effective_date, false
            )
            or (
                (outranks.rival).version > (outranks.newcomer).version
                and coalesce(
                    (outranks.rival).effective_date >= (outranks.newcomer).effective_date, true
                )
            )
    end;
$func$;

comment on function corpus.outranks is
'Whether a published rival stays although this version comes: of two documents the one that applies from a later day, an undated one from the day it came.';
