-- embedding.index_condition
-- What is true of the rows of the index that holds the text of a scope (embedding.index_part), as it stands in that index and in a search of it.
--
-- The planner takes a partial index only where a search says the same in the same words.
--
-- called by  embedding.index_statements, search.index_hits
-- raises     nothing

create or replace function embedding.index_condition(
    scope_id bigint,
    prefix text default ''
)
returns text
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- scope 1 is national
    select case
        when index_condition.scope_id = 1 then format('%sscope_id = 1', index_condition.prefix)
        else format(
            '%1$sscope_id <> 1 and %1$sscope_id %% 2 = %2$s',
            index_condition.prefix, index_condition.scope_id % 2
        )
    end;
$func$;

comment on function embedding.index_condition is
'What is true of the rows of the index that holds the text of a scope (embedding.index_part), as it stands in that index and in a search of it.';
