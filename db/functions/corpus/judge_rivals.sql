-- corpus.judge_rivals
-- Which published rivals a version replaces, and the one that stays above it, if any.
--
-- corpus.outranks says of each whether it stays. A version that stays behind another one, and so
-- is never seen, takes no other document out of sight; of its own document it replaces what is older.
--
-- called by  corpus.settle_version, corpus.correct_facts, corpus.release_version
-- raises     nothing

create or replace function corpus.judge_rivals(
    version_id bigint,
    out losers bigint[],
    out winner bigint
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        array_agg(w.version_id order by w.version_id)
            filter (where not w.wins and (w.is_own or not w.is_outranked)),
        (array_agg(w.version_id order by w.valid_from desc, w.version_id desc)
            filter (where w.wins))[1]
    from (
        select
            o.*,
            bool_or(o.wins) over () as is_outranked
        from (
            select
                r.version_id,
                r.valid_from,
                r.document_id = n.document_id as is_own,
                corpus.outranks(r, n) as wins
            from corpus.version as n
            cross join lateral corpus.rivals_of(n.version_id) as r
            where n.version_id = judge_rivals.version_id
        ) as o
    ) as w;
$func$;

comment on function corpus.judge_rivals is
'Which published rivals a version replaces, and the one that stays above it, if any.';
