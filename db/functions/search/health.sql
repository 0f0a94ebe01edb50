-- search.health
-- How searches went since an interval ago, a row for each day and, with day NULL, one for the whole time.
--
-- Shares are 0 to 1, NULL where nothing was counted. hybrid, vector_only and keyword_only are
-- shares of the returned chunks; keyword_only_searches are searches that had no vector to go by.
-- Days are those of the session's time zone. Reads only the records of that time.
--
-- called by  admins, the health page
-- raises     nothing

create or replace function search.health(since interval default '7 days')
returns table (
    day date,
    searches bigint,
    questions bigint,
    results_mean double precision,
    candidates_mean double precision,
    no_answer_share double precision,
    hybrid_share double precision,
    vector_only_share double precision,
    keyword_only_share double precision,
    keyword_only_searches bigint,
    topic_fallback_share double precision,
    broad_fallback_share double precision,
    school_boosted_share double precision,
    no_local_share double precision,
    p50_ms double precision,
    p95_ms double precision
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        r.at::date,
        count(*),
        count(distinct r.question_hash),
        avg(r.result_count)::double precision,
        avg(r.candidate_count)::double precision,
        avg((r.result_count = 0)::integer)::double precision,
        sum(r.hybrid_count)::double precision / nullif(sum(r.result_count), 0),
        sum(r.vector_only_count)::double precision / nullif(sum(r.result_count), 0),
        sum(r.keyword_only_count)::double precision / nullif(sum(r.result_count), 0),
        count(*) filter (where r.mode = 'keyword_only'),
        avg(r.topic_fallback_used::integer)::double precision,
        avg(r.no_la_broad_fallback_used::integer)::double precision,
        avg(r.school_boosted::integer)::double precision,
        avg((r.la_count = 0)::integer) filter (where r.la_code is not null)::double precision,
        percentile_cont(0.5) within group (order by r.total_ms),
        percentile_cont(0.95) within group (order by r.total_ms)
    from search.record as r
    where r.at >= now() - health.since
    group by grouping sets ((r.at::date), ())
    order by 1 desc nulls first;
$func$;

comment on function search.health is
'How searches went since an interval ago, a row for each day and, with day NULL, one for the whole time.';
