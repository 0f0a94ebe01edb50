-- corpus.release_corrected
-- Publish again what versions of its document held back by a title that this one, which corrects them, no longer has; what another version outranks stays behind that one.
--
-- The latest first, so that of several editions one comes back.
--
-- definer because  bringing back is not ingest's to decide; this decides by title and day alone
-- called by  corpus.settle_version, which holds the locks
-- writes     what corpus.release_version writes
-- raises     ST002 unusable setting

create or replace function corpus.release_corrected(version_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _held_id bigint;
begin
    for _held_id in
        select h.version_id
        from corpus.held_by_corrected(release_corrected.version_id) as h
        order by h.valid_from desc, h.version_id desc
    loop
        perform corpus.release_version(_held_id);
    end loop;
end;
$func$;

comment on function corpus.release_corrected is
'Publish again what versions of its document held back by a title that this one, which corrects them, no longer has; what another version outranks stays behind that one.';
