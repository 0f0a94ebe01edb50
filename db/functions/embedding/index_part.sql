-- embedding.index_part
-- Which of a set's vector indexes holds the text of a scope: national, or one half of all other text.
--
-- Two halves, because VACUUM and a parallel rebuild take an index as one piece of work: two are
-- repaired at once on two cores, and each needs half the memory to build. A search asks the parts
-- of its scopes one by one. embedding.index_condition says the same to the planner.
--
-- called by  embedding.index_statements, search.vector_leg, search.calibrate
-- raises     nothing

create or replace function embedding.index_part(scope_id bigint)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- scope 1 is national
    select case
        when index_part.scope_id = 1 then 'national'
        else 'local_' || index_part.scope_id % 2
    end;
$func$;

comment on function embedding.index_part is
'Which of a set''s vector indexes holds the text of a scope: national, or one half of all other text.';
