-- corpus.release_version
-- Judge a superseded version anew: publish it again, or put it behind what outranks it.
--
-- Nothing that its own source has replaced since comes back, also where that is out of sight
-- itself. One that lacks its vectors in the active set stays out, and an event says so: it comes
-- back when its source is read again.
--
-- called by  corpus.release_outranked and corpus.release_corrected, for callers that hold the locks
-- writes     what corpus.retire_version, corpus.restore_version and corpus.lay_timeline write
-- raises     ST002 unusable setting

create or replace function corpus.release_version(version_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _held corpus.version;
    _losers bigint[];
    _winner bigint;
begin
    select v.* into strict _held
    from corpus.version as v
    where v.version_id = release_version.version_id;
    if exists (
        select
        from corpus.version as l
        where
            l.document_id = _held.document_id
            and l.version > _held.version
            and l.state <> 'staged'
            and l.superseded_by is distinct from _held.version_id
            and corpus.outranks(l, _held)
    )
    then
        return;
    end if;
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
            return;
        end;
        perform corpus.retire_version(r.version_id, _held.version_id)
        from unnest(_losers) as r (version_id)
        order by r.version_id;
        perform corpus.restore_version(_held.version_id);
    end if;
    perform corpus.lay_timeline(_held.document_id);
end;
$func$;

comment on function corpus.release_version is
'Judge a superseded version anew: publish it again, or put it behind what outranks it.';
