-- embedding.start_fill
-- Note every chunk that lacks its vector in a set, and keep noting those of new documents; returns how many wait.
--
-- Safe to repeat: what failed before waits again, what is there stays.
--
-- called by  DBAs, ingest/embedding/calls.py
-- writes     embedding.set, embedding.wanted_vector, embedding.fill_batch
-- raises     VE005 unknown set

create or replace function embedding.start_fill(set_name text)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(start_fill.set_name);
    _waiting bigint;
begin
    update embedding.set as s
    set state = 'filling'
    where s.set_id = _set.set_id and s.state = 'idle';
    if found then
        delete from embedding.fill_batch as b where b.set_id = _set.set_id;
    end if;
    insert into embedding.wanted_vector (set_id, chunk_id, scope_id, searched)
    select _set.set_id, c.chunk_id, c.scope_id, v.state = 'published'
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    where
        not exists (
            select
            from embedding.vector as w
            where w.set_id = _set.set_id and w.chunk_id = c.chunk_id
        )
        and not exists (
            select
            from embedding.cold_vector as k
            where k.set_id = _set.set_id and k.chunk_id = c.chunk_id
        )
        -- whoever publishes a staged version sees to its vectors in the active set
        and not (_set.active and v.state = 'staged')
    on conflict do nothing;
    update embedding.wanted_vector as w
    set failed = false, attempts = 0, ready_at = clock_timestamp(), last_error = null
    where w.set_id = _set.set_id and w.failed;
    select count(*) into _waiting
    from embedding.wanted_vector as w
    where w.set_id = _set.set_id;
    return _waiting;
end;
$func$;

comment on function embedding.start_fill is
'Note every chunk that lacks its vector in a set, and keep noting those of new documents; returns how many wait.';
