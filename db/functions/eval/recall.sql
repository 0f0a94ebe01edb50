-- eval.recall
-- Share of the relevant documents that stand among the first of the answer; NULL when nothing is relevant.
--
-- called by  eval.answer, eval.sweep
-- raises     nothing

create or replace function eval.recall(gains integer[], judged integer[], depth integer)
returns double precision
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        (select count(*) from unnest(recall.gains[1:recall.depth]) as g (grade) where g.grade > 0)
        ::double precision
        / nullif((select count(*) from unnest(recall.judged) as j (grade) where j.grade > 0), 0);
$func$;

comment on function eval.recall is
'Share of the relevant documents that stand among the first of the answer; NULL when nothing is relevant.';
