-- 0007_search
-- why   the text index, its statistics, and the shapes in which a search hands its results on
-- lock  none that matters (new objects)
-- undo  drop schema search cascade; drop view knowledge_base; drop type search_result;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema search;
comment on schema search is 'The legs, fusion, floors and assembly behind search_kb.';

create table search.text_index (
    chunk_id bigint not null,
    scope_id bigint not null,
    lexemes tsvector not null,
    token_count integer not null,
    constraint text_index_pk primary key (chunk_id),
    constraint text_index_chunk_fk
    foreign key (chunk_id) references corpus.chunk (chunk_id) on delete cascade
);
comment on table search.text_index is
'Postings of the published version of each document: inserted and deleted with it, never updated.';
comment on column search.text_index.chunk_id is 'The chunk.';
comment on column search.text_index.scope_id is 'Its scope.';
comment on column search.text_index.lexemes is 'Lexemes of title and content, and identifier tokens (#...).';
comment on column search.text_index.token_count is 'Length for BM25: tokens, stop words left out.';
create index text_index_lexemes_idx on search.text_index using gin (lexemes) with (fastupdate = off);
create index text_index_scope_idx on search.text_index (scope_id);

create table search.lexeme_stat (
    lexeme text collate "C" not null,
    chunks bigint not null,
    constraint lexeme_stat_pk primary key (lexeme)
);
comment on table search.lexeme_stat is 'Document frequency of each lexeme, without the deltas not folded yet.';
comment on column search.lexeme_stat.lexeme is 'The lexeme.';
comment on column search.lexeme_stat.chunks is 'Chunks that hold it.';

create table search.lexeme_delta (
    lexeme text collate "C" not null,
    chunks bigint not null
);
comment on table search.lexeme_delta is
'Changes of document frequency not folded yet: writers only append, so no row is hot.';
comment on column search.lexeme_delta.lexeme is 'The lexeme.';
comment on column search.lexeme_delta.chunks is 'Chunks gained or lost.';
create index lexeme_delta_lexeme_idx on search.lexeme_delta (lexeme);

create table search.scope_stat (
    scope_id bigint not null,
    chunks bigint not null,
    tokens bigint not null,
    constraint scope_stat_pk primary key (scope_id)
);
comment on table search.scope_stat is 'Size of each scope, without the deltas not folded yet.';
comment on column search.scope_stat.scope_id is 'The scope; 0 is the whole corpus.';
comment on column search.scope_stat.chunks is 'Searchable chunks in it.';
comment on column search.scope_stat.tokens is 'Sum of their token counts.';

create table search.scope_delta (
    scope_id bigint not null,
    chunks bigint not null,
    tokens bigint not null
);
comment on table search.scope_delta is 'Changes of scope sizes not folded yet.';
comment on column search.scope_delta.scope_id is 'The scope; 0 is the whole corpus.';
create index scope_delta_scope_idx on search.scope_delta (scope_id);
comment on column search.scope_delta.chunks is 'Chunks gained or lost.';
comment on column search.scope_delta.tokens is 'Tokens gained or lost.';

create view search.scope_size as
select
    d.scope_id,
    sum(d.chunks)::bigint as chunks,
    sum(d.tokens)::bigint as tokens
from (
    select
        s.scope_id,
        s.chunks,
        s.tokens
    from search.scope_stat as s
    union all
    select
        s.scope_id,
        s.chunks,
        s.tokens
    from search.scope_delta as s
) as d
group by d.scope_id;
comment on view search.scope_size is 'Exact size of each scope, folded or not.';
comment on column search.scope_size.scope_id is 'The scope; 0 is the whole corpus.';
comment on column search.scope_size.chunks is 'Searchable chunks in it.';
comment on column search.scope_size.tokens is 'Sum of their token counts.';

create type search.visible_scope as (
    scope_id bigint,
    label text,
    chunks bigint
);
comment on type search.visible_scope is
'A scope a caller may see: its label in the result (national, la, home_la, school, shared) and its size.';
comment on column search.visible_scope.scope_id is 'The scope.';
comment on column search.visible_scope.label is 'national, la, home_la, school or shared.';
comment on column search.visible_scope.chunks is 'Searchable chunks in it.';

create type search.vector_hit as (
    chunk_id bigint,
    similarity double precision,
    rank integer
);
comment on type search.vector_hit is 'A chunk the vector leg found.';
comment on column search.vector_hit.chunk_id is 'The chunk.';
comment on column search.vector_hit.similarity is 'Cosine similarity, -1 to 1.';
comment on column search.vector_hit.rank is 'Rank in the leg from 1; equal similarities share one.';

create type search.keyword_hit as (
    chunk_id bigint,
    bm25_score double precision,
    rank integer,
    identifier_matched boolean,
    rare_words_matched boolean,
    coverage double precision
);
comment on type search.keyword_hit is 'A chunk the keyword leg found.';
comment on column search.keyword_hit.chunk_id is 'The chunk.';
comment on column search.keyword_hit.bm25_score is 'BM25 score.';
comment on column search.keyword_hit.rank is 'Rank in the leg from 1; equal scores share one.';
comment on column search.keyword_hit.identifier_matched is 'Whether an identifier of the question matched.';
comment on column search.keyword_hit.rare_words_matched is
'Whether the question has rare words and every one of them matched.';
comment on column search.keyword_hit.coverage is 'Share of the idf that matched, of the typed words or of the synonyms, whichever is larger; 0 to 1.';

create type search.query_word as (
    lexeme text,
    expansion boolean,
    identifier boolean,
    chunks bigint,
    idf double precision
);
comment on type search.query_word is 'A word of the question as the keyword leg weighs it.';
comment on column search.query_word.lexeme is 'The lexeme.';
comment on column search.query_word.expansion is 'Whether a synonym brought it, not the person.';
comment on column search.query_word.identifier is 'Whether it is an identifier token.';
comment on column search.query_word.chunks is 'Chunks that hold it.';
comment on column search.query_word.idf is 'BM25 inverse document frequency.';

create type search.ranked_hit as (
    chunk_id bigint,
    document_id bigint,
    version_id bigint,
    scope text,
    similarity double precision,
    vector_rank integer,
    bm25_score double precision,
    bm25_rank integer,
    matched_by text,
    rrf_raw double precision,
    freshness double precision,
    authority_weight double precision,
    boost double precision,
    score double precision,
    floor_exempt boolean,
    coverage double precision,
    school_boosted boolean,
    dropped_because text
);
comment on type search.ranked_hit is 'A candidate after fusion, weights and floor, with the reason when it was dropped.';
comment on column search.ranked_hit.chunk_id is 'The chunk.';
comment on column search.ranked_hit.document_id is 'Its document.';
comment on column search.ranked_hit.version_id is 'Its version.';
comment on column search.ranked_hit.scope is 'national, la, home_la, school or shared.';
comment on column search.ranked_hit.similarity is 'Cosine similarity; NULL without a query vector.';
comment on column search.ranked_hit.vector_rank is 'Rank in the vector leg; NULL when it was not there.';
comment on column search.ranked_hit.bm25_score is 'BM25 score; NULL when no word matched.';
comment on column search.ranked_hit.bm25_rank is 'Rank in the keyword leg; NULL when it was not there.';
comment on column search.ranked_hit.matched_by is 'vector, keyword or hybrid.';
comment on column search.ranked_hit.rrf_raw is 'Fused score before weights.';
comment on column search.ranked_hit.freshness is 'Weight by age.';
comment on column search.ranked_hit.authority_weight is 'Weight by kind of publisher.';
comment on column search.ranked_hit.boost is 'Product of topic and local boosts.';
comment on column search.ranked_hit.score is 'rrf_raw times the weights.';
comment on column search.ranked_hit.floor_exempt is 'Whether an identifier or every rare word matched.';
comment on column search.ranked_hit.coverage is 'Share of the question''s idf that matched.';
comment on column search.ranked_hit.school_boosted is 'Whether it was brought in for the asked school.';
comment on column search.ranked_hit.dropped_because is 'NULL when kept, else the floor it missed.';

create type public.search_result as (
    chunk_id bigint,
    document_id bigint,
    title text,
    source text,
    content text,
    context text,
    chunk_index integer,
    la_code text,
    school_urn text,
    tags text[], -- noqa: LT01
    document_type text,
    authority text,
    version integer,
    effective_date date,
    created_at timestamptz,
    scope text,
    similarity double precision,
    vector_rank integer,
    bm25_score double precision,
    bm25_rank integer,
    matched_by text,
    rrf_raw double precision,
    freshness double precision,
    authority_weight double precision,
    boost double precision,
    score double precision,
    topic_fallback_used boolean,
    no_la_broad_fallback_used boolean,
    school_boosted boolean
);
comment on type public.search_result is 'One retrieved chunk, best first, with everything that decided its place.';
comment on column public.search_result.chunk_id is 'The chunk; a citation names it.';
comment on column public.search_result.document_id is 'Its document.';
comment on column public.search_result.title is 'Title of the document.';
comment on column public.search_result.source is 'Address or file name.';
comment on column public.search_result.content is 'The passage, word for word.';
comment on column public.search_result.context is 'The passage with its neighbours, overlap removed.';
comment on column public.search_result.chunk_index is 'Place of the passage in the document, from 0.';
comment on column public.search_result.la_code is 'Authority of the document; NULL is national.';
comment on column public.search_result.school_urn is 'School of the document, when it is a school''s.';
comment on column public.search_result.tags is 'Topic slugs.';
comment on column public.search_result.document_type is 'What it is, e.g. policy.';
comment on column public.search_result.authority is 'Kind of publisher.';
comment on column public.search_result.version is 'Version number of the document.';
comment on column public.search_result.effective_date is 'The day it says it applies from.';
comment on column public.search_result.created_at is 'When this version was published here.';
comment on column public.search_result.scope is 'national, la, home_la, school or shared.';
comment on column public.search_result.similarity is 'Cosine similarity; NULL without a query vector.';
comment on column public.search_result.vector_rank is 'Rank in the vector leg; NULL when it was not there.';
comment on column public.search_result.bm25_score is 'BM25 score; NULL when no word matched.';
comment on column public.search_result.bm25_rank is 'Rank in the keyword leg; NULL when it was not there.';
comment on column public.search_result.matched_by is 'vector, keyword or hybrid.';
comment on column public.search_result.rrf_raw is 'Fused score before weights.';
comment on column public.search_result.freshness is 'Weight by age.';
comment on column public.search_result.authority_weight is 'Weight by kind of publisher.';
comment on column public.search_result.boost is 'Product of topic and local boosts.';
comment on column public.search_result.score is 'rrf_raw times the weights: the order of the result.';
comment on column public.search_result.topic_fallback_used is 'The tags left nothing, so they were dropped.';
comment on column public.search_result.no_la_broad_fallback_used is
'No authority was known and national text had nothing, so all areas were searched.';
comment on column public.search_result.school_boosted is 'Brought in because it is the asked school''s own.';

create table search.record (
    record_id bigint generated always as identity,
    at timestamptz not null default now(),
    la_code text,
    home_la_code text,
    school_urn text,
    topics text[] not null default '{}',
    result_count integer not null,
    vector_only_count integer not null,
    keyword_only_count integer not null,
    hybrid_count integer not null,
    la_count integer not null,
    national_count integer not null,
    top_similarity double precision,
    top_bm25 double precision,
    top_rrf double precision,
    topic_fallback_used boolean not null,
    no_la_broad_fallback_used boolean not null,
    school_boosted boolean not null,
    timings jsonb not null default '{}',
    constraint record_pk primary key (record_id)
);
comment on table search.record is 'What each search returned, in numbers; the question is never stored.';
comment on column search.record.record_id is 'Key.';
comment on column search.record.at is 'When.';
comment on column search.record.la_code is 'Authority asked about.';
comment on column search.record.home_la_code is 'Home authority, when it differs.';
comment on column search.record.school_urn is 'School asked about.';
comment on column search.record.topics is 'Topics of the question.';
comment on column search.record.result_count is 'Chunks returned.';
comment on column search.record.vector_only_count is 'Found by the vector leg alone.';
comment on column search.record.keyword_only_count is 'Found by the keyword leg alone.';
comment on column search.record.hybrid_count is 'Found by both legs.';
comment on column search.record.la_count is 'Of the authority, home authority or school.';
comment on column search.record.national_count is 'National.';
comment on column search.record.top_similarity is 'Best cosine similarity.';
comment on column search.record.top_bm25 is 'Best BM25 score.';
comment on column search.record.top_rrf is 'Best fused score.';
comment on column search.record.topic_fallback_used is 'The tags were dropped.';
comment on column search.record.no_la_broad_fallback_used is 'All areas were searched.';
comment on column search.record.school_boosted is 'A chunk of the asked school was brought in.';
comment on column search.record.timings is 'Milliseconds by step, as the caller measured them.';
create index record_at_idx on search.record (at);

create view public.knowledge_base as
select
    c.chunk_id as id,
    v.embedding::vector as embedding,
    t.lexemes as search_vector,
    c.content,
    d.source,
    f.tags as send_tags,
    s.la_code,
    s.school_urn,
    f.status as validation_status,
    c.document_id as parent_doc_id,
    c.chunk_index,
    r.document_type,
    r.metadata,
    r.published_at as created_at
from corpus.chunk as c
inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
inner join corpus.version as r on c.version_id = r.version_id
inner join corpus.document as d on c.document_id = d.document_id
inner join corpus.scope as s on c.scope_id = s.scope_id
left join search.text_index as t on c.chunk_id = t.chunk_id
left join embedding.set as e on e.active
left join embedding.vector as v on e.set_id = v.set_id and c.chunk_id = v.chunk_id;
comment on view public.knowledge_base is
'Every published chunk in the flat shape that people and tools of such systems expect. For reading; the search does not use it.';
comment on column public.knowledge_base.id is 'The chunk.';
comment on column public.knowledge_base.embedding is 'Vector of the active embedding set; NULL when superseded.';
comment on column public.knowledge_base.search_vector is 'Lexemes; NULL when superseded.';
comment on column public.knowledge_base.content is 'The passage.';
comment on column public.knowledge_base.source is 'Address or file name.';
comment on column public.knowledge_base.send_tags is 'Topic slugs.';
comment on column public.knowledge_base.la_code is 'Authority; NULL is national.';
comment on column public.knowledge_base.school_urn is 'School, when it is a school''s.';
comment on column public.knowledge_base.validation_status is 'pending, approved, rejected, flagged or superseded.';
comment on column public.knowledge_base.parent_doc_id is 'The document.';
comment on column public.knowledge_base.chunk_index is 'Place in the document, from 0.';
comment on column public.knowledge_base.document_type is 'What the document is.';
comment on column public.knowledge_base.metadata is 'What the parser found.';
comment on column public.knowledge_base.created_at is 'When this version was published.';
