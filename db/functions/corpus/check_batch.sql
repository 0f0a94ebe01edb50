-- corpus.check_batch
-- The ids of a bulk decision, each once, in order; refuse more than 50 of them or a missing one.
--
-- called by  corpus.decide_chunks, corpus.decide_documents
-- raises     KB021 too many at once, or a missing one

create or replace function corpus.check_batch(ids bigint[])
returns bigint[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if cardinality(check_batch.ids) > 50 or array_position(check_batch.ids, null) is not null then
        raise exception 'a bulk decision takes up to 50 ids, and no missing one'
            using errcode = 'KB021',
                  detail = format('%s were given.', cardinality(check_batch.ids)),
                  hint = 'Decide in several calls.';
    end if;
    return array(select distinct u.id from unnest(check_batch.ids) as u (id) order by u.id);
end;
$func$;

comment on function corpus.check_batch is
'The ids of a bulk decision, each once, in order; refuse more than 50 of them or a missing one.';
