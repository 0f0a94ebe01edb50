-- corpus.chunk_fact__note_decisions
-- Every decision on passages becomes an event, whichever client made it: who, from which login, when, why, from what to what.
--
-- One event for each version and move. Passages that are superseded or come back follow their
-- version, of which corpus.retire_version and corpus.restore_version tell.
--
-- writes     audit.event

create or replace function corpus.chunk_fact__note_decisions()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform audit.write_event(
        'status_changed', 'version ' || m.version_id,
        jsonb_build_object('from', m.old_status, 'to', m.new_status, 'chunks', m.chunks)
    )
    from (
        select
            c.version_id,
            o.status as old_status,
            n.status as new_status,
            jsonb_agg(n.chunk_id order by n.chunk_id) as chunks
        from new_fact as n
        inner join old_fact as o on n.chunk_id = o.chunk_id
        inner join corpus.chunk as c on n.chunk_id = c.chunk_id
        where n.status <> o.status and 'superseded' not in (n.status, o.status)
        group by c.version_id, o.status, n.status
        order by c.version_id, o.status
    ) as m;
    return null;
end;
$func$;

comment on function corpus.chunk_fact__note_decisions is
'Every decision on passages becomes an event, whichever client made it: who, from which login, when, why, from what to what.';

create or replace trigger chunk_fact__note_decisions
after update on corpus.chunk_fact
referencing old table as old_fact new table as new_fact
for each statement execute function corpus.chunk_fact__note_decisions();
