-- embedding.release_chunks
-- Give claimed chunks back after a failure: to be claimed again after a while, or given up when final.
--
-- called by  ingest/embedding/calls.py
-- writes     embedding.wanted_vector
-- raises     VE005 unknown set

create or replace function embedding.release_chunks(
    set_name text,
    chunk_ids bigint[],
    reason text,
    pause interval default '0',
    final boolean default false
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    update embedding.wanted_vector as w
    set
        holder_pid = null,
        ready_at = clock_timestamp() + release_chunks.pause,
        -- a provider that is down is not the chunk's fault
        attempts = greatest(0, w.attempts - 1),
        failed = release_chunks.final,
        last_error = left(release_chunks.reason, 500)
    where
        w.set_id = (embedding.named_set(release_chunks.set_name)).set_id
        and w.holder_pid = pg_backend_pid()
        -- chunks of the same text were claimed together with these
        and w.chunk_id in (
            select t.chunk_id
            from corpus.chunk as c
            inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
            where c.chunk_id = any(release_chunks.chunk_ids)
        );
$func$;

comment on function embedding.release_chunks is
'Give claimed chunks back after a failure: to be claimed again after a while, or given up when final.';
