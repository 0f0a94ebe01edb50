-- corpus.release_outranked
-- Publish again what a version held back before its title or day was corrected; what another version outranks stays behind that one.
--
-- The latest first, so that of several editions one comes back.
--
-- definer because  bringing back is not ingest's to decide; this decides by title and day alone
-- called by  corpus.correct_facts, which holds the locks
-- writes     what corpus.release_version writes
-- raises     ST002 unusable setting

create or replace function corpus.release_outranked(version_id bigint, day_before date)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _corrected corpus.version;
    _held_id bigint;
begin
    select v.* into strict _corrected
    from corpus.version as v
    where v.version_id = release_outranked.version_id;
    for _held_id in
        select h.version_id
        from corpus.held_back_by(_corrected.version_id, release_outranked.day_before) as h
        where not (
            (h.document_id = _corrected.document_id or h.title_key = _corrected.title_key)
            and corpus.outranks(_corrected, h)
        )
        order by h.valid_from desc, h.version_id desc
    loop
        perform corpus.release_version(_held_id);
    end loop;
end;
$func$;

comment on function corpus.release_outranked is
'Publish again what a version held back before its title or day was corrected; what another version outranks stays behind that one.';
