-- search.record_search
-- Note how a search went, in numbers; a known authority without a hit of its own is an audit row la_coverage_miss.
--
-- A search that succeeded is never refused its record: what cannot be used is left out. counts,
-- of search.count_candidates, knows the fallbacks of an empty answer too; mode says which legs
-- were asked: hybrid, vector_only, keyword_only or none. The question becomes a fingerprint; its
-- text is kept only where kb.record_questions is on.
--
-- called by  app/calls.py
-- writes     search.record, audit.event
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split, ST002
--            unusable setting

create or replace function search.record_search(
    results public.search_result[],
    la text default null,
    home_la text default null,
    urn text default null,
    topics text[] default null,
    timings jsonb default '{}',
    counts search.candidate_count default null,
    mode text default null,
    embedding_set text default null,
    question text default null
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
    _topics text[];
    _timings jsonb;
    _total_ms double precision;
    _record_id bigint;
begin
    select s.* into _scope
    from search.scope_of(record_search.la, record_search.home_la, record_search.urn) as s;
    -- words of a pack, names of steps and plain numbers only: a question handed in by mistake
    -- stays out
    _topics := array(
        select t.slug from terms.topic as t
        where t.slug = any(record_search.topics)
        order by t.slug
    );
    select
        coalesce(jsonb_object_agg(t.key, t.value), '{}'),
        coalesce(
            max(t.value::double precision) filter (where t.key = 'total'),
            sum(t.value::double precision)
        )
    into _timings, _total_ms
    from jsonb_each(
        case jsonb_typeof(record_search.timings) when 'object' then record_search.timings end
    ) as t
    where
        t.key ~ '^[a-z][a-z_]{0,39}$'
        -- numeric is compared: as a double a huge or a tiny number would be an error
        and case
            when jsonb_typeof(t.value) = 'number'
                then t.value::numeric = 0 or t.value::numeric between 1e-9 and 1e9
            else false
        end;

    insert into search.record (
        la_code, home_la_code, school_urn, topics, result_count, vector_only_count,
        keyword_only_count, hybrid_count, la_count, national_count, top_similarity, top_bm25,
        top_rrf, topic_fallback_used, no_la_broad_fallback_used, school_boosted, timings,
        mode, embedding_set, candidate_count, vector_candidate_count, keyword_candidate_count,
        kept_count, attempts, total_ms, question_hash, question
    )
    select
        _scope.la_code, _scope.home_la_code, _scope.school_urn, _topics,
        count(*),
        count(*) filter (where r.matched_by = 'vector'),
        count(*) filter (where r.matched_by = 'keyword'),
        count(*) filter (where r.matched_by = 'hybrid'),
        count(*) filter (where r.scope in ('la', 'home_la', 'school')),
        count(*) filter (where r.scope = 'national'),
        max(r.similarity), max(r.bm25_score), max(r.rrf_raw),
        coalesce(
            (record_search.counts).topic_fallback_used, bool_or(r.topic_fallback_used), false
        ),
        coalesce(
            (record_search.counts).no_la_broad_fallback_used,
            bool_or(r.no_la_broad_fallback_used), false
        ),
        coalesce(bool_or(r.school_boosted), false),
        _timings,
        (
            select m.mode from unnest('{hybrid,vector_only,keyword_only,none}'::text[]) as m (mode)
            where m.mode = record_search.mode
        ),
        (
            select s.name from embedding.set as s
            where
                case
                    when record_search.embedding_set is null then s.active
                    else s.name = record_search.embedding_set
                end
        ),
        (record_search.counts).candidates,
        (record_search.counts).vector_candidates,
        (record_search.counts).keyword_candidates,
        (record_search.counts).kept,
        (record_search.counts).attempts,
        _total_ms,
        search.hash_question(record_search.question),
        case
            when config.value('kb.record_questions')::boolean
                then left(terms.fold_text(record_search.question), 2000)
        end
    from unnest(record_search.results) as r
    where r.chunk_id is not null
    returning record_id into _record_id;

    if _scope.la_code is not null and not exists (
        select from unnest(record_search.results) as r where r.scope = 'la'
    ) then
        perform audit.write_event(
            'la_coverage_miss', _scope.la_code,
            jsonb_build_object(
                'topics', _topics,
                'results', (
                    select count(*) from unnest(record_search.results) as r
                    where r.chunk_id is not null
                )
            )
        );
    end if;
    return _record_id;
end;
$func$;

comment on function search.record_search is
'Note how a search went, in numbers; a known authority without a hit of its own is an audit row la_coverage_miss.';
