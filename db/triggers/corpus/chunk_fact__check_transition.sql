-- corpus.chunk_fact__check_transition
-- A validation state moves only along corpus.status_edge, and to or from superseded only with its version; who decided is noted.
--
-- A superseded passage remembers what it was before, and becomes that again when it comes back.
--
-- raises     KB013 an edge that is not allowed

create or replace function corpus.chunk_fact__check_transition()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _with_version boolean;
    _state text;
begin
    -- none is refused by the column
    if old.status = new.status or new.status is null then
        return new;
    end if;
    select e.with_version into _with_version
    from corpus.status_edge as e
    where e.old_status = old.status and e.new_status = new.status;
    if _with_version then
        select v.state into _state
        from corpus.chunk as c
        inner join corpus.version as v on c.version_id = v.version_id
        where c.chunk_id = new.chunk_id;
    end if;
    if _with_version is null
        or (_with_version and new.status = 'superseded' and _state <> 'superseded')
        or (
            _with_version and old.status = 'superseded'
            and (_state <> 'published' or new.status <> old.status_before)
        )
    then
        raise exception 'chunk % cannot go from % to %', old.chunk_id, old.status, new.status
            using errcode = 'KB013',
                  hint = 'pending -> approved, rejected, flagged; approved -> rejected, flagged; '
                      || 'flagged -> approved, rejected, pending; rejected -> pending, approved. '
                      || 'Of superseded ones see corpus.undo_supersession.';
    end if;
    if _with_version then
        new.status_before := case when new.status = 'superseded' then old.status end;
    else
        new.reviewed_by := audit.actor();
        new.reviewed_at := now();
    end if;
    return new;
end;
$func$;

comment on function corpus.chunk_fact__check_transition is
'A validation state moves only along corpus.status_edge, and to or from superseded only with its version; who decided is noted.';

create or replace trigger chunk_fact__check_transition
before update of status on corpus.chunk_fact
for each row execute function corpus.chunk_fact__check_transition();
