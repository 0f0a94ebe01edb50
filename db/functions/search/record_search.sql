-- search.record_search
-- Note what a search returned, in numbers; a known authority without a hit of its own is an audit row la_coverage_miss.
--
-- called by  app/calls.py
-- writes     search.record, audit.event
-- raises     PL001 unknown authority, PL002 unknown school

create or replace function search.record_search(
    results public.search_result[],
    la text default null,
    home_la text default null,
    urn text default null,
    topics text[] default null,
    timings jsonb default '{}'
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _scope record;
    _record search.record;
begin
    select s.* into _scope
    from search.scope_of(record_search.la, record_search.home_la, record_search.urn) as s;
    insert into search.record (
        la_code, home_la_code, school_urn, topics, result_count, vector_only_count,
        keyword_only_count, hybrid_count, la_count, national_count, top_similarity, top_bm25,
        top_rrf, topic_fallback_used, no_la_broad_fallback_used, school_boosted, timings
    )
    select
        _scope.la_code, _scope.home_la_code, _scope.school_urn,
        coalesce(record_search.topics, '{}'),
        count(*),
        count(*) filter (where r.matched_by = 'vector'),
        count(*) filter (where r.matched_by = 'keyword'),
        count(*) filter (where r.matched_by = 'hybrid'),
        count(*) filter (where r.scope in ('la', 'home_la', 'school')),
        count(*) filter (where r.scope = 'national'),
        max(r.similarity), max(r.bm25_score), max(r.rrf_raw),
        coalesce(bool_or(r.topic_fallback_used), false),
        coalesce(bool_or(r.no_la_broad_fallback_used), false),
        coalesce(bool_or(r.school_boosted), false),
        -- numbers only: a question handed in by mistake stays out
        coalesce((
            select jsonb_object_agg(t.key, t.value)
            from jsonb_each(
                case jsonb_typeof(record_search.timings)
                    when 'object' then record_search.timings
                end
            ) as t
            where jsonb_typeof(t.value) = 'number'
        ), '{}')
    from unnest(record_search.results) as r
    returning * into _record;
    if _scope.la_code is not null and not exists (
        select from unnest(record_search.results) as r where r.scope = 'la'
    ) then
        perform audit.write_event(
            'la_coverage_miss', _scope.la_code,
            jsonb_build_object('topics', _record.topics, 'results', _record.result_count)
        );
    end if;
    return _record.record_id;
end;
$func$;

comment on function search.record_search is
'Note what a search returned, in numbers; a known authority without a hit of its own is an audit row la_coverage_miss.';
