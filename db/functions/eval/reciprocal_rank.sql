-- eval.reciprocal_rank
-- One over the rank of the first relevant document, 0 when none is shown; NULL when nothing is relevant.
--
-- called by  eval.answer, eval.sweep
-- raises     nothing

create or replace function eval.reciprocal_rank(gains integer[], judged integer[])
returns double precision
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select case
        when exists (select from unnest(reciprocal_rank.judged) as j (grade) where j.grade > 0) then
            coalesce((
                select 1.0 / min(g.place)
                from unnest(reciprocal_rank.gains) with ordinality as g (grade, place)
                where g.grade > 0
            ), 0)
    end::double precision;
$func$;

comment on function eval.reciprocal_rank is
'One over the rank of the first relevant document, 0 when none is shown; NULL when nothing is relevant.';
