-- corpus.judge_rivals
-- Which published rivals a version replaces, and the one that stays above it, if any.
--
-- The newer by effective date wins, whatever the order of arrival; where dates do not say, the
-- later version of a document.
--
-- called by  corpus.publish_version, corpus.correct_facts
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
        (array_agg(w.version_id order by w.effective_date desc nulls last, w.version_id desc)
            filter (where w.wins))[1]
    from (
        select
            r.version_id,
            r.effective_date,
            coalesce(r.effective_date > n.effective_date, false)
            or (
                r.document_id = n.document_id
                and r.version > n.version
                and coalesce(r.effective_date >= n.effective_date, true)
            ) as wins
        from corpus.version as n
        cross join lateral corpus.rivals_of(n.version_id) as r
        where n.version_id = judge_rivals.version_id
    ) as w;
$func$;

comment on function corpus.judge_rivals is
'Which published rivals a version replaces, and the one that stays above it, if any.';
