-- corpus.set_status
-- Decide on chunks along the allowed edges, audited; returns how many changed. All or none.
--
-- called by  curators
-- writes     corpus.chunk_fact, audit.event
-- raises     KB013 an edge that is not allowed, KB014 no such chunk

create or replace function corpus.set_status(
    chunk_ids bigint[],
    status text,
    actor text default null,
    reason text default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _changed integer;
begin
    if set_status.status not in ('pending', 'approved', 'rejected', 'flagged') then
        raise exception 'a person cannot decide that chunks are "%"', left(set_status.status, 40)
            using errcode = 'KB013',
                  detail = 'A chunk is superseded when a newer version of its document takes over.',
                  hint = 'Decide for approved, rejected, flagged or pending.';
    end if;
    perform corpus.lock_facts(set_status.chunk_ids);
    update corpus.chunk_fact as f
    set
        status = set_status.status,
        reviewed_by = coalesce(set_status.actor, session_user),
        reviewed_at = now()
    where f.chunk_id = any(set_status.chunk_ids) and f.status <> set_status.status;
    get diagnostics _changed = row_count;
    if _changed > 0 then
        perform audit.write_event(
            'status_changed', format('%s chunks', _changed),
            jsonb_build_object(
                'chunks', set_status.chunk_ids, 'status', set_status.status,
                'reason', set_status.reason
            ),
            set_status.actor
        );
    end if;
    return _changed;
end;
$func$;

comment on function corpus.set_status is
'Decide on chunks along the allowed edges, audited; returns how many changed. All or none.';
