-- corpus.check_decision
-- Refuse what no person can decide for.
--
-- called by  corpus.set_status, corpus.decide_chunks, corpus.decide_documents
-- raises     KB013 a state that is not decided for

create or replace function corpus.check_decision(status text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if coalesce(check_decision.status, '')
        not in ('pending', 'approved', 'rejected', 'flagged')
    then
        raise exception 'a person cannot decide that chunks are "%"',
            left(check_decision.status, 40)
            using errcode = 'KB013',
                  detail = 'A chunk is superseded when a newer version of its document takes over.',
                  hint = 'Decide for approved, rejected, flagged or pending.';
    end if;
end;
$func$;

comment on function corpus.check_decision is
'Refuse what no person can decide for.';
