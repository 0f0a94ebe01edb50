-- embedding.note_spend
-- Add the tokens that a call to the provider used to the versions its chunks belong to; returns how many versions.
--
-- Called as soon as the provider has answered, whether or not the vectors are stored: they are
-- billed either way. Chunks that are gone meanwhile are passed over.
--
-- called by  ingest/spending/calls.py
-- writes     embedding.spend
-- raises     VE005 unknown set, VE007 lists of different length

create or replace function embedding.note_spend(
    chunk_ids bigint[],
    tokens bigint[],
    set_name text
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(note_spend.set_name);
    _versions integer;
begin
    if cardinality(note_spend.chunk_ids) is distinct from cardinality(note_spend.tokens) then
        raise exception 'chunks and tokens do not pair up'
            using errcode = 'VE007', hint = 'Give the tokens of each chunk.';
    end if;
    insert into embedding.spend as s (
        version_id, set_id, chunks, tokens, unpriced_tokens, cost_usd
    )
    select
        c.version_id,
        _set.set_id,
        count(*),
        sum(u.used),
        case when _set.usd_per_million_tokens is null then sum(u.used) else 0 end,
        coalesce(sum(u.used) * _set.usd_per_million_tokens / 1000000, 0)
    from unnest(note_spend.chunk_ids, note_spend.tokens) as u (chunk_id, used)
    inner join corpus.chunk as c on u.chunk_id = c.chunk_id
    where u.used > 0
    group by c.version_id
    -- in one order, so that two that add to the same versions wait and do not lock each other out
    order by c.version_id
    on conflict (version_id, set_id) do update
    set
        chunks = s.chunks + excluded.chunks,
        tokens = s.tokens + excluded.tokens,
        unpriced_tokens = s.unpriced_tokens + excluded.unpriced_tokens,
        cost_usd = s.cost_usd + excluded.cost_usd,
        last_at = now();
    get diagnostics _versions = row_count;
    return _versions;
end;
$func$;

comment on function embedding.note_spend is
'Add the tokens that a call to the provider used to the versions its chunks belong to; returns how many versions.';
