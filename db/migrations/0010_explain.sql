-- 0010_explain
-- why   a search hands on everything it looked at, so that the same run answers, explains and is counted
-- lock  none that matters (types and functions; one row of settings)
-- undo  drop the types made here cascade and the attributes, deploy the functions of the release before
set local lock_timeout = '2s';
set local statement_timeout = '60s';

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.school_coverage', 'number', '0.25', 0, 1, null, 'share of idf',
        'With no query vector, the share of the question''s idf that brings in a chunk of the school that was asked about.');

alter type search.ranked_hit add attribute content_hash bytea;
alter type search.ranked_hit add attribute dropped_at text;
alter type search.ranked_hit add attribute place integer;
comment on type search.ranked_hit is 'A candidate after fusion, weights, floor and choice, with the reason when it was dropped.';
comment on column search.ranked_hit.dropped_because is 'NULL when kept, else why not, in words.';
comment on column search.ranked_hit.content_hash is 'SHA-256 of the content: equal passages collapse in an answer.';
comment on column search.ranked_hit.dropped_at is
'NULL when kept, else floor, same_text, document_full or top_k.';
comment on column search.ranked_hit.place is 'Place in the answer from 1; NULL when it is not in it.';

create type search.request as (
    query halfvec,
    tsquery tsquery,
    set_id integer,
    la text,
    home_la text,
    urn text,
    principals text[], -- noqa: LT01
    tags text[], -- noqa: LT01
    topics text[], -- noqa: LT01
    statuses text[], -- noqa: LT01
    as_of date,
    top_k integer,
    candidates integer,
    max_chunks_per_document integer,
    rrf_k double precision,
    vector_weight double precision,
    keyword_weight double precision,
    keyword_mode text,
    retrieval_floor double precision,
    relevance_floor double precision,
    keyword_coverage double precision,
    school_floor double precision,
    school_coverage double precision,
    school_limit integer
);
comment on type search.request is
'What a search was asked, with nothing left out: arguments, then settings, then the embedding set''s own.';
comment on column search.request.query is 'Unit-length query vector; NULL is keyword only.';
comment on column search.request.tsquery is 'Words of the question; NULL or empty is vector only.';
comment on column search.request.set_id is 'The embedding set.';
comment on column search.request.la is 'Authority asked about.';
comment on column search.request.home_la is 'Home authority, when it differs.';
comment on column search.request.urn is 'School asked about.';
comment on column search.request.principals is 'Who the caller is.';
comment on column search.request.tags is 'Topic slugs that narrow; NULL is none.';
comment on column search.request.topics is 'Topic slugs that raise.';
comment on column search.request.statuses is 'States that may be retrieved.';
comment on column search.request.as_of is 'The day whose versions are searched; NULL is today''s.';
comment on column search.request.top_k is 'How many chunks the answer holds.';
comment on column search.request.candidates is 'How many chunks each leg brings at first.';
comment on column search.request.max_chunks_per_document is 'How many chunks of one document.';
comment on column search.request.rrf_k is 'k of Reciprocal Rank Fusion.';
comment on column search.request.vector_weight is 'Weight of the vector leg.';
comment on column search.request.keyword_weight is 'Weight of the keyword leg.';
comment on column search.request.keyword_mode is 'corpus or vector_first.';
comment on column search.request.retrieval_floor is 'Cosine floor of the vector leg.';
comment on column search.request.relevance_floor is 'Cosine floor after fusion.';
comment on column search.request.keyword_coverage is 'Share of the idf that decides without a vector.';
comment on column search.request.school_floor is 'Cosine floor of the asked school.';
comment on column search.request.school_coverage is 'Share of the idf for the asked school.';
comment on column search.request.school_limit is 'How many chunks of the school are brought in.';

create type search.scope_plan as (
    scope_id bigint,
    label text,
    chunks bigint,
    plan text,
    reason text
);
comment on type search.scope_plan is 'How the vector leg read a scope, and why so.';
comment on column search.scope_plan.scope_id is 'The scope.';
comment on column search.scope_plan.label is 'national, la, home_la, school or shared.';
comment on column search.scope_plan.chunks is 'Searchable chunks in it.';
comment on column search.scope_plan.plan is
'exact, index, index topped up (an exact scan followed), or none.';
comment on column search.scope_plan.reason is 'The numbers that decided.';

create type search.vector_found as (
    hits search.vector_hit[], -- noqa: LT01
    plans search.scope_plan[] -- noqa: LT01
);
comment on type search.vector_found is 'What the vector leg found and how.';
comment on column search.vector_found.hits is 'Most similar first.';
comment on column search.vector_found.plans is 'One for each visible scope.';

create type search.ranking as (
    hits search.ranked_hit[], -- noqa: LT01
    plans search.scope_plan[], -- noqa: LT01
    vector_hits integer,
    keyword_hits integer,
    more_would_pass boolean,
    vector_ms double precision,
    keyword_ms double precision,
    rank_ms double precision
);
comment on type search.ranking is 'Every candidate of one attempt, and what the legs came to.';
comment on column search.ranking.hits is 'Candidates, kept or with the reason, best first.';
comment on column search.ranking.plans is 'How the vector leg read each scope.';
comment on column search.ranking.vector_hits is 'Chunks of the vector leg.';
comment on column search.ranking.keyword_hits is 'Chunks of the keyword leg.';
comment on column search.ranking.more_would_pass is
'A leg was cut at its limit while its last chunk still passed the floor.';
comment on column search.ranking.vector_ms is 'Milliseconds in the vector leg.';
comment on column search.ranking.keyword_ms is 'Milliseconds in the keyword leg.';
comment on column search.ranking.rank_ms is 'Milliseconds in fusion, weights and floor.';

create type search.attempt as (
    attempt integer,
    tags text[], -- noqa: LT01
    everywhere boolean,
    candidates integer,
    vector_hits integer,
    keyword_hits integer,
    fused integer,
    kept integer,
    chosen integer
);
comment on type search.attempt is
'One try: as asked, without tags, in all areas, or deeper where the answer had room.';
comment on column search.attempt.attempt is 'Counts from 1.';
comment on column search.attempt.tags is 'Tags that narrowed it; NULL is none.';
comment on column search.attempt.everywhere is 'Whether all areas were searched.';
comment on column search.attempt.candidates is 'How many chunks each leg was asked for.';
comment on column search.attempt.vector_hits is 'Chunks of the vector leg.';
comment on column search.attempt.keyword_hits is 'Chunks of the keyword leg.';
comment on column search.attempt.fused is 'Candidates after fusion.';
comment on column search.attempt.kept is 'Of these over the floor.';
comment on column search.attempt.chosen is 'Of these in the answer.';

create type search.retrieval as (
    request search.request,
    scopes search.visible_scope[], -- noqa: LT01
    plans search.scope_plan[], -- noqa: LT01
    attempts search.attempt[], -- noqa: LT01
    hits search.ranked_hit[], -- noqa: LT01
    topic_fallback_used boolean,
    no_la_broad_fallback_used boolean,
    timings jsonb
);
comment on type search.retrieval is
'Everything a search looked at and decided; the answer is made of it, and so is its explanation.';
comment on column search.retrieval.request is 'What was asked.';
comment on column search.retrieval.scopes is 'The scopes of the last attempt.';
comment on column search.retrieval.plans is 'How the vector leg read each of them.';
comment on column search.retrieval.attempts is 'Every attempt, in order.';
comment on column search.retrieval.hits is
'Every candidate of the last attempt: those of the answer by place, then the dropped ones.';
comment on column search.retrieval.topic_fallback_used is 'The tags left nothing, so they were dropped.';
comment on column search.retrieval.no_la_broad_fallback_used is
'No authority was known and national text had nothing, so all areas were searched.';
comment on column search.retrieval.timings is 'Milliseconds by step, over all attempts.';

-- these return something else now, or take other arguments
-- squawk-ignore ban-drop-function
drop function if exists search.vector_leg(
    halfvec, integer, search.visible_scope[], text[], text[], integer, double precision, date
);
-- squawk-ignore ban-drop-function
drop function if exists search.rank_candidates(
    halfvec, tsquery, embedding.set, search.visible_scope[], text[], text[], text[], date,
    integer, double precision, double precision, double precision
);
-- squawk-ignore ban-drop-function
drop function if exists search.apply_floor(
    search.ranked_hit[], boolean, double precision, double precision, integer, double precision
);
-- squawk-ignore ban-drop-function
drop function if exists search.assemble(search.ranked_hit[], text[], integer, boolean, boolean);
