-- eval.ndcg
-- Normalised discounted cumulative gain to a depth: gains in the order of the answer against the best order of all judged grades; NULL when none is over 0.
--
-- Jarvelin & Kekalainen 2002 with the grade itself as gain and log2(rank + 1) as discount, as
-- trec_eval computes ndcg_cut.
--
-- called by  eval.answer, eval.sweep
-- raises     nothing

create or replace function eval.ndcg(gains integer[], judged integer[], depth integer)
returns double precision
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select reached.dcg / nullif(best.dcg, 0)
    from (
        select coalesce(sum(greatest(g.grade, 0) / log(2, g.place + 1)), 0)::double precision as dcg
        from unnest(ndcg.gains) with ordinality as g (grade, place)
        where g.place <= ndcg.depth
    ) as reached
    cross join (
        select coalesce(sum(j.grade / log(2, j.place + 1)), 0)::double precision as dcg
        from (
            select u.grade, row_number() over (order by u.grade desc) as place
            from unnest(ndcg.judged) as u (grade)
            where u.grade > 0
        ) as j
        where j.place <= ndcg.depth
    ) as best;
$func$;

comment on function eval.ndcg is
'Normalised discounted cumulative gain to a depth: gains in the order of the answer against the best order of all judged grades; NULL when none is over 0.';
