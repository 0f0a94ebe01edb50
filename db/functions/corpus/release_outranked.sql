-- corpus.release_outranked
-- Publish again what a version held back before its title or day was corrected; what another version outranks stays behind that one.
--
-- The latest first, so that of several editions one comes back, and nothing that its own source
-- has replaced since, also where that is out of sight itself. One that lacks its vectors in the
-- active set stays out, and an event says so: it comes back when its source is read again.
--
-- definer because  bringing back is not ingest's to decide; this decides by title and day alone
-- called by  corpus.correct_facts, which holds the locks
-- writes     what corpus.retire_version, corpus.restore_version and corpus.lay_timeline write
-- raises     ST002 unusable setting

create or replace function corpus.release_outranked(version_id bigint, day_before date)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _corrected corpus.version;
    _held corpus.version;
    _losers bigint[];
    _winner bigint;
begin
    select v.* into strict _corrected
    from corpus.version as v
    where v.version_id = release_outranked.version_id;
    for _held in
        select h.*
        from corpus.held_back_by(_corrected.version_id, release_outranked.day_before) as h
        where
            not (
                (h.document_id = _corrected.document_id or h.title_key = _corrected.title_key)
                and corpus.outranks(_corrected, h)
            )
            and not exists (
                select
                from corpus.version as l
                where
                    l.document_id = h.document_id
                    and l.version > h.version
                    and l.state <> 'staged'
                    and l.superseded_by is distinct from h.version_id
                    and corpus.outranks(l, h)
            )
        order by h.valid_from desc, h.version_id desc
    loop
        select j.losers, j.winner into _losers, _winner
        from corpus.judge_rivals(_held.version_id) as j;
        if _winner is not null then
            update corpus.version as v
            set superseded_by = _winner
            where v.version_id = _held.version_id and v.superseded_by <> _winner;
        else
            begin
                perform corpus.check_embedded(_held.version_id);
            exception when sqlstate 'KB010' then
                perform audit.write_event('not_restored', 'version ' || _held.version_id);
                continue;
            end;
            perform corpus.retire_version(r.version_id, _held.version_id)
            from unnest(_losers) as r (version_id)
            order by r.version_id;
            perform corpus.restore_version(_held.version_id);
        end if;
        perform corpus.lay_timeline(_held.document_id);
    end loop;
end;
$func$;

comment on function corpus.release_outranked is
'Publish again what a version held back before its title or day was corrected; what another version outranks stays behind that one.';
