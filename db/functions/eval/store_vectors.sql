-- eval.store_vectors
-- Store the vectors of a set's questions for the active embedding set; returns how many there are.
--
-- called by  bench/calls.py
-- writes     eval.question_vector
-- raises     JU001 unknown set, VE001, VE002, VE003 a vector that cannot be used

create or replace function eval.store_vectors(
    set_name text,
    question_keys text[],
    vectors text[]
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set_id integer := (eval.named_set(store_vectors.set_name)).question_set_id;
    _active embedding.set := embedding.active_set();
    _count integer;
begin
    insert into eval.question_vector as v (question_id, set_id, embedding)
    select
        q.question_id, _active.set_id,
        embedding.check_vector(u.given::public.vector, _active)
    from unnest(store_vectors.question_keys, store_vectors.vectors) as u (question_key, given)
    inner join eval.question as q
        on u.question_key = q.question_key and q.question_set_id = _set_id
    on conflict on constraint question_vector_pk do update set embedding = excluded.embedding;
    get diagnostics _count = row_count;
    return _count;
end;
$func$;

comment on function eval.store_vectors is
'Store the vectors of a set''s questions for the active embedding set; returns how many there are.';
