-- corpus.lock_facts
-- Lock the facts of chunks against other deciders, always in one order so that no two can deadlock; refuse an unknown chunk.
--
-- called by  corpus.set_status, corpus.set_tags, corpus.decide_chunks, corpus.decide_documents,
--            validation.judge_batch
-- locks      the rows of corpus.chunk_fact, by chunk_id
-- raises     KB014 no such chunk

create or replace function corpus.lock_facts(chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _unknown bigint;
begin
    perform from corpus.chunk_fact as f
    where f.chunk_id = any(lock_facts.chunk_ids)
    order by f.chunk_id
    for update;
    select u.id into _unknown
    from unnest(lock_facts.chunk_ids) as u (id)
    where not exists (select from corpus.chunk_fact as f where f.chunk_id = u.id)
    limit 1;
    if found then
        raise exception 'there is no published chunk %', _unknown
            using errcode = 'KB014', hint = 'See: select id, source from knowledge_base;';
    end if;
end;
$func$;

comment on function corpus.lock_facts is
'Lock the facts of chunks against other deciders, always in one order so that no two can deadlock; refuse an unknown chunk.';
