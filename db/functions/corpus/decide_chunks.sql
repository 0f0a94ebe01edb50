-- corpus.decide_chunks
-- Decide on up to 50 passages at once, each for itself: one row each, changed, unchanged, refused or unknown, and why.
--
-- called by  curators
-- writes     corpus.chunk_fact, audit.event
-- locks      advisory: corpus.lock_titles; then the facts in one order
-- raises     KB013 a state that is not decided for, KB021 too many at once

create or replace function corpus.decide_chunks(
    chunk_ids bigint[],
    status text,
    actor text default null,
    reason text default null
)
returns table (chunk_id bigint, outcome text, explanation text)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _ids bigint[] := corpus.check_batch(decide_chunks.chunk_ids);
    _known bigint[];
    _moving bigint[] := '{}';
    _row record;
begin
    perform corpus.check_decision(decide_chunks.status);
    perform corpus.lock_titles(array(
        select distinct c.document_id from corpus.chunk as c where c.chunk_id = any(_ids)
    ));
    _known := array(
        select f.chunk_id from corpus.chunk_fact as f where f.chunk_id = any(_ids)
    );
    perform corpus.lock_facts(_known);
    for _row in
        select
            u.id,
            case
                when f.chunk_id is null then 'unknown'
                when f.status = decide_chunks.status then 'unchanged'
                when e.with_version is false then 'changed'
                else 'refused'
            end as outcome,
            case
                when f.chunk_id is null then 'there is no published chunk ' || u.id
                when f.status = decide_chunks.status then 'it is ' || f.status || ' already'
                when e.with_version is false then f.status || ' -> ' || decide_chunks.status
                else f.status || ' cannot become ' || decide_chunks.status
            end as explanation
        from unnest(_ids) as u (id)
        left join corpus.chunk_fact as f on u.id = f.chunk_id
        left join corpus.status_edge as e
            on f.status = e.old_status and e.new_status = decide_chunks.status
        order by u.id
    loop
        if _row.outcome = 'changed' then
            _moving := _moving || _row.id;
        end if;
        chunk_id := _row.id;
        outcome := _row.outcome;
        explanation := _row.explanation;
        return next;
    end loop;
    perform corpus.set_status(
        _moving, decide_chunks.status, decide_chunks.actor, decide_chunks.reason
    );
end;
$func$;

comment on function corpus.decide_chunks is
'Decide on up to 50 passages at once, each for itself: one row each, changed, unchanged, refused or unknown, and why.';
