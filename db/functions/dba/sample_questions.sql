-- dba.sample_questions
-- Vectors to try the search of the active set with: recent questions of people, then as many made from stored chunks.
--
-- A made one is a stored chunk's vector with noise, at a cosine of about 0.8 to it: as near as a
-- good question is to its passage, and never a vector the index holds. After setseed() the same
-- are drawn again.
--
-- called by  dba.measure_recall, dba.prewarm
-- raises     VE004 no embedding set is active

create or replace function dba.sample_questions(sample integer)
returns table (query public.halfvec, is_real boolean)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _set embedding.set := embedding.active_set();
    _real integer;
begin
    return query
    select q.embedding, true
    from (
        -- one question of many people is one question
        select distinct on (c.question_hash) c.embedding, c.expires_at
        from embedding.query_cache as c
        where c.set_id = _set.set_id and c.model = _set.model
        order by c.question_hash, c.expires_at desc
    ) as q
    order by q.expires_at desc
    limit sample_questions.sample;
    get diagnostics _real = row_count;
    return query
    select
        public.l2_normalize((
            select array_agg(
                d.x + (random() - 0.5) * 2.6 / sqrt(_set.width) order by d.place
            )::real[]
            from unnest(v.embedding::public.vector::real[]) with ordinality as d (x, place)
        )::public.vector)::public.halfvec,
        false
    from (
        select c.chunk_id
        from embedding.vector as c
        where c.set_id = _set.set_id
        order by random()
        limit sample_questions.sample - _real
    ) as drawn
    inner join embedding.vector as v on v.set_id = _set.set_id and v.chunk_id = drawn.chunk_id;
end;
$func$;

comment on function dba.sample_questions is
'Vectors to try the search of the active set with: recent questions of people, then as many made from stored chunks.';
