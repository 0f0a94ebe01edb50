-- corpus.judge_rivals
-- Which published rivals a version replaces, and the one that stays above it, if any.
--
-- corpus.outranks says of each whether it stays.
--
-- called by  corpus.settle_version, corpus.correct_facts
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
        array_agg(w.version_id order by w.version_id) filter (where not w.wins),
        (array_agg(w.version_id order by w.valid_from desc, w.version_id desc)
            filter (where w.wins))[1]
    from (
        select r.version_id, r.valid_from, corpus.outranks(r, n) as wins
        from corpus.version as n
        cross join lateral corpus.rivals_of(n.version_id) as r
        where n.version_id = judge_rivals.version_id
    ) as w;
$func$;

comment on function corpus.judge_rivals is
'Which published rivals a version replaces, and the one that stays above it, if any.';
