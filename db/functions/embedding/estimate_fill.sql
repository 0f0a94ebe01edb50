-- embedding.estimate_fill
-- What filling a set still takes: chunks that wait, texts that have to be embedded for them, and the characters in those.
--
-- Texts that a chunk of the set has a vector of already are not counted.
--
-- called by  ingest/embedding/calls.py
-- raises     VE005 unknown set

create or replace function embedding.estimate_fill(set_name text)
returns table (chunks bigint, texts bigint, characters bigint)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with wanted_text as (
        select
            c.embedding_hash,
            count(*) as chunks,
            max(length(embedding.text_of(v.title, c.content))) as characters,
            bool_or(exists (
                select
                from corpus.chunk as t
                inner join embedding.vector as e on t.chunk_id = e.chunk_id and e.set_id = s.set_id
                where t.embedding_hash = c.embedding_hash
            )) as known
        from embedding.named_set(estimate_fill.set_name) as s
        inner join embedding.wanted_vector as w on s.set_id = w.set_id
        inner join corpus.chunk as c on w.chunk_id = c.chunk_id
        inner join corpus.version as v on c.version_id = v.version_id
        group by c.embedding_hash
    )

    select
        coalesce(sum(t.chunks), 0)::bigint,
        count(*) filter (where not t.known),
        coalesce(sum(t.characters) filter (where not t.known), 0)::bigint
    from wanted_text as t;
$func$;

comment on function embedding.estimate_fill is
'What filling a set still takes: chunks that wait, texts that have to be embedded for them, and the characters in those.';
