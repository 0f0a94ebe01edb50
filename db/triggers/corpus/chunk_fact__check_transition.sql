-- corpus.chunk_fact__check_transition
-- A validation state moves only along allowed edges; superseded is final, and remembers the one before.
--
-- raises     KB013 an edge that is not allowed

create or replace function corpus.chunk_fact__check_transition()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if not (
        old.status = new.status
        or (old.status = 'pending' and new.status in ('approved', 'rejected', 'flagged', 'superseded'))
        or (old.status = 'approved' and new.status in ('rejected', 'flagged', 'superseded'))
        or (old.status = 'flagged' and new.status in ('approved', 'rejected', 'pending'))
        or (old.status = 'rejected' and new.status in ('pending', 'approved'))
    ) then
        raise exception 'chunk % cannot go from % to %', old.chunk_id, old.status, new.status
            using errcode = 'KB013',
                  hint = 'pending -> approved, rejected, flagged; approved -> rejected, flagged; '
                      || 'flagged -> approved, rejected, pending; rejected -> pending, approved.';
    end if;
    if new.status = 'superseded' and old.status <> 'superseded' then
        new.status_before := old.status;
    end if;
    return new;
end;
$func$;

comment on function corpus.chunk_fact__check_transition is
'A validation state moves only along allowed edges; superseded is final, and remembers the one before.';

create or replace trigger chunk_fact__check_transition
before update of status on corpus.chunk_fact
for each row execute function corpus.chunk_fact__check_transition();
