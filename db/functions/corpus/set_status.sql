-- corpus.set_status
-- Decide on chunks along the allowed edges (corpus.status_edge), audited; returns how many changed. All or none.
--
-- called by  curators, corpus.decide_chunks, corpus.decide_documents, validation.judge_document
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
    _spoken text[];
    _changed integer;
begin
    perform corpus.check_decision(set_status.status);
    perform corpus.lock_facts(set_status.chunk_ids);
    _spoken := audit.speak_for(set_status.actor, set_status.reason);
    update corpus.chunk_fact as f
    set status = set_status.status
    where f.chunk_id = any(set_status.chunk_ids) and f.status <> set_status.status;
    get diagnostics _changed = row_count;
    perform audit.speak_for(_spoken[1], _spoken[2]);
    return _changed;
end;
$func$;

comment on function corpus.set_status is
'Decide on chunks along the allowed edges (corpus.status_edge), audited; returns how many changed. All or none.';
