-- 0005_embedding
-- why   vectors of different models and widths live side by side, one set is searched
-- lock  none that matters (new objects)
-- undo  drop schema embedding cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema embedding;
comment on schema embedding is 'Embedding sets, their vectors and the vectors of questions asked before.';

create table embedding.set (
    set_id integer not null,
    name text not null,
    provider text not null,
    model text not null,
    width integer not null,
    active boolean not null default false,
    endpoint_url text,
    retrieval_floor double precision not null,
    relevance_floor double precision not null,
    school_floor double precision not null,
    vector_weight double precision not null,
    keyword_weight double precision not null,
    constraint set_pk primary key (set_id),
    constraint set_name_once unique (name),
    constraint set_provider_is_known
    check (provider in ('local', 'openai', 'azure', 'compatible')),
    constraint set_width_fits_an_index check (width between 1 and 4000),
    constraint set_floors_are_cosines check (
        retrieval_floor between -1 and 1
        and relevance_floor between -1 and 1
        and school_floor between -1 and 1
    ),
    constraint set_weights_not_negative check (vector_weight >= 0 and keyword_weight >= 0)
);
comment on table embedding.set is
'A model at a width, with the floors and fusion weights that belong to it. Exactly one is active.';
comment on column embedding.set.set_id is 'Key; names the partition of embedding.vector.';
comment on column embedding.set.name is 'Name people use.';
comment on column embedding.set.provider is 'local, openai, azure or compatible.';
comment on column embedding.set.model is 'Model as the provider calls it.';
comment on column embedding.set.width is 'Dimensions of its vectors.';
comment on column embedding.set.active is 'Whether searches use it.';
comment on column embedding.set.endpoint_url is
'OpenAI-compatible base address that embedding.embed_text calls from inside the server; a key never stands here.';
comment on column embedding.set.retrieval_floor is 'Cosine floor of the vector leg.';
comment on column embedding.set.relevance_floor is 'Cosine floor after fusion.';
comment on column embedding.set.school_floor is 'Cosine floor of the asked school''s documents.';
comment on column embedding.set.vector_weight is 'Weight of the vector leg in fusion.';
comment on column embedding.set.keyword_weight is 'Weight of the keyword leg in fusion.';
create unique index set_one_active_idx on embedding.set (active) where active;

insert into embedding.set
    (set_id, name, provider, model, width, active, endpoint_url,
        retrieval_floor, relevance_floor, school_floor, vector_weight, keyword_weight)
values
    (1, 'local-minilm', 'local', 'all-MiniLM-L6-v2-int8', 384, true,
        'http://127.0.0.1:8089/v1', 0.20, 0.30, 0.22, 0.7, 0.3),
    (2, 'openai-3-large', 'openai', 'text-embedding-3-large', 1536, false,
        null, 0.15, 0.30, 0.15, 0.7, 0.3);

create table embedding.vector (
    set_id integer not null,
    chunk_id bigint not null,
    scope_id bigint not null,
    embedding halfvec not null,
    constraint vector_pk primary key (set_id, chunk_id)
) partition by list (set_id);
comment on table embedding.vector is
'Vectors of the published version of each document, a partition per set. Rows are inserted and deleted, never updated.';
comment on column embedding.vector.set_id is 'The embedding set.';
comment on column embedding.vector.chunk_id is 'The chunk.';
comment on column embedding.vector.scope_id is 'Its scope: small scopes are scanned exactly through the index on it.';
comment on column embedding.vector.embedding is 'Unit-length vector at half precision.';

create table embedding.vector_1 partition of embedding.vector (
    constraint vector_1_width check (vector_dims(embedding) = 384),
    constraint vector_1_has_a_direction check (l2_norm(embedding) > 0)
) for values in (1);
comment on table embedding.vector_1 is 'Vectors of set 1.';
create table embedding.vector_2 partition of embedding.vector (
    constraint vector_2_width check (vector_dims(embedding) = 1536),
    constraint vector_2_has_a_direction check (l2_norm(embedding) > 0)
) for values in (2);
comment on table embedding.vector_2 is 'Vectors of set 2.';
-- inline, so that an exact scan of a scope reads no TOAST table
alter table embedding.vector_1 alter column embedding set storage plain;
alter table embedding.vector_2 alter column embedding set storage plain;
create index vector_scope_idx on embedding.vector (scope_id);
create index vector_1_hnsw_idx on embedding.vector_1
using hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) with (m = 16, ef_construction = 64);
create index vector_2_hnsw_idx on embedding.vector_2
using hnsw ((embedding::halfvec(1536)) halfvec_cosine_ops) with (m = 16, ef_construction = 64);

create table embedding.cold_vector (
    set_id integer not null,
    chunk_id bigint not null,
    embedding halfvec not null,
    constraint cold_vector_pk primary key (set_id, chunk_id),
    constraint cold_vector_set_fk foreign key (set_id) references embedding.set (set_id),
    constraint cold_vector_chunk_fk
    foreign key (chunk_id) references corpus.chunk (chunk_id) on delete cascade
);
comment on table embedding.cold_vector is
'Vectors of chunks that are not searched: staged ones on the way in, superseded ones kept for as_of and undo. Not indexed, so they crowd nobody out.';
comment on column embedding.cold_vector.set_id is 'The embedding set.';
comment on column embedding.cold_vector.chunk_id is 'The chunk.';
comment on column embedding.cold_vector.embedding is 'Unit-length vector at half precision.';
create index cold_vector_chunk_idx on embedding.cold_vector (chunk_id);

create table embedding.query_cache (
    viewer text not null,
    question_hash bytea not null,
    set_id integer not null,
    expansion_revision bigint not null,
    embedding halfvec not null,
    expires_at timestamptz not null,
    constraint query_cache_pk primary key (viewer, question_hash, set_id, expansion_revision),
    constraint query_cache_set_fk
    foreign key (set_id) references embedding.set (set_id) on delete cascade
);
comment on table embedding.query_cache is
'Vectors of questions asked before, per viewer; the question itself is not kept, only its SHA-256.';
comment on column embedding.query_cache.viewer is 'Whose question; nobody else is answered from it.';
comment on column embedding.query_cache.question_hash is 'SHA-256 of the folded question.';
comment on column embedding.query_cache.set_id is 'The set, so model and width are part of the key.';
comment on column embedding.query_cache.expansion_revision is 'Revision of the loaded synonyms.';
comment on column embedding.query_cache.embedding is 'The vector.';
comment on column embedding.query_cache.expires_at is 'Not used after this instant.';
create index query_cache_expires_idx on embedding.query_cache (expires_at);
