-- search.count_candidates
-- What a search weighed, in numbers: candidates of each leg and those the floor kept, and what was tried.
--
-- called by  search.find
-- raises     nothing

create or replace function search.count_candidates(
    hits search.ranked_hit[],
    attempts integer default 1,
    topic_fallback_used boolean default false,
    no_la_broad_fallback_used boolean default false
)
returns search.candidate_count
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select row(
        count(h.chunk_id),
        count(h.chunk_id) filter (where h.vector_rank is not null),
        count(h.chunk_id) filter (where h.bm25_rank is not null),
        count(h.chunk_id) filter (where h.dropped_at is distinct from 'floor'),
        count_candidates.attempts,
        count_candidates.topic_fallback_used,
        count_candidates.no_la_broad_fallback_used
    )::search.candidate_count
    from unnest(count_candidates.hits) as h;
$func$;

comment on function search.count_candidates is
'What a search weighed, in numbers: candidates of each leg and those the floor kept, and what was tried.';
