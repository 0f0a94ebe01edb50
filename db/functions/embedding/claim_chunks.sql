-- embedding.claim_chunks
-- Hand a worker chunks that lack their vector in a set, hidden from others for one lease or until its connection ends.
--
-- Chunks whose text has a vector in the set already get that one, and of several with the same
-- text one is handed out: no row does not mean that nothing waits, embedding.fill_is_over says
-- that. The lease matters only where a server keeps the connection of a dead worker.
--
-- called by  ingest/embedding/calls.py
-- writes     embedding.wanted_vector, and what embedding.keep_filled writes
-- locks      row locks on the claimed chunks; rows another worker is claiming are skipped
-- raises     QU001 batch size or lease out of range, VE005 unknown set

create or replace function embedding.claim_chunks(
    set_name text,
    batch_size integer default 64,
    lease interval default '15 minutes'
)
returns table (chunk_id bigint, embedding_text text)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _set embedding.set := embedding.named_set(claim_chunks.set_name);
    _living integer[] := array(select a.pid from pg_stat_activity as a);
    _ids bigint[];
    _reused bigint[];
    _vectors public.halfvec[];
begin
    if (
        claim_chunks.batch_size between 1 and 2048
        and claim_chunks.lease between interval '1 second' and interval '1 day'
    ) is not true then
        raise exception 'batch size % with lease % is out of range',
            claim_chunks.batch_size, claim_chunks.lease
            using errcode = 'QU001',
                  hint = 'A batch holds 1 to 2048 chunks, a lease lasts one second to one day.';
    end if;
    _ids := array(
        select w.chunk_id
        from embedding.wanted_vector as w
        where
            w.set_id = _set.set_id
            and not w.failed
            and (
                w.ready_at <= clock_timestamp()
                or (w.holder_pid is not null and w.holder_pid <> all(_living))
            )
        order by w.searched desc, w.scope_id, w.chunk_id
        limit claim_chunks.batch_size
        for update skip locked
    );
    -- again, now that nobody can claim them: a holder may have connected since the first look
    perform pg_stat_clear_snapshot();
    _living := array(select a.pid from pg_stat_activity as a);
    with claimed_chunk as (
        update embedding.wanted_vector as w
        set
            holder_pid = case when w.attempts < 8 then pg_backend_pid() end,
            ready_at = clock_timestamp() + claim_chunks.lease,
            attempts = w.attempts + 1,
            -- what kills its worker is never reported by it: the claim counts, and gives up
            failed = w.attempts >= 8,
            last_error = case
                when w.attempts >= 8 then 'given up: it was claimed eight times and never came back'
                else w.last_error
            end
        where
            w.set_id = _set.set_id
            and w.chunk_id = any(_ids)
            and (
                w.ready_at <= clock_timestamp()
                or (w.holder_pid is not null and w.holder_pid <> all(_living))
            )
        returning w.chunk_id, w.failed
    )

    select coalesce(array_agg(k.chunk_id), '{}') into _ids
    from claimed_chunk as k
    where not k.failed;

    select coalesce(array_agg(t.chunk_id), '{}'), coalesce(array_agg(t.embedding), '{}')
    into _reused, _vectors
    from (
        select distinct on (c.chunk_id) c.chunk_id, r.embedding
        from corpus.chunk as c
        inner join corpus.chunk as twin
            on c.embedding_hash = twin.embedding_hash and c.chunk_id <> twin.chunk_id
        cross join lateral (
            select v.embedding
            from embedding.vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
            union all
            select v.embedding
            from embedding.cold_vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
        ) as r
        where c.chunk_id = any(_ids)
    ) as t;
    if cardinality(_reused) > 0 then
        perform embedding.keep_filled(_reused, _vectors, _set.set_id, embedded => 0);
    end if;

    return query
    select distinct on (c.embedding_hash)
        c.chunk_id, embedding.text_of(v.title, c.content)
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    where c.chunk_id = any(_ids) and c.chunk_id <> all(_reused)
    order by c.embedding_hash, c.chunk_id;
end;
$func$;

comment on function embedding.claim_chunks is
'Hand a worker chunks that lack their vector in a set, hidden from others for one lease or until its connection ends.';
