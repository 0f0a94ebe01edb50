-- 0015_vector_indexes
-- why   an index of a bit per dimension is a seventh of the size at 1536 dimensions; national text gets one of its own
-- lock  embedding.vector_2 and vector_1 against writes while their indexes are built; chunk_fact for one
-- undo  drop index embedding.vector_1_national_idx, embedding.vector_2_national_idx,
--       embedding.vector_2_hnsw_idx, corpus.chunk_fact_tags_idx; create the halfvec index of 0005 again;
--       alter table embedding.set drop column index_kind, drop column index_m,
--       drop column index_ef_construction; delete from config.setting where name = 'kb.rerank_depth';
set local lock_timeout = '2s';
set local statement_timeout = '10min';

alter table embedding.set
add column index_kind text not null default 'halfvec',
add column index_m integer not null default 16,
add column index_ef_construction integer not null default 64,
-- a handful of rows
-- squawk-ignore constraint-missing-not-valid
add constraint set_index_kind_is_known check (index_kind in ('halfvec', 'binary')),
-- squawk-ignore constraint-missing-not-valid
add constraint set_index_m_is_legal check (index_m between 2 and 100),
-- squawk-ignore constraint-missing-not-valid
add constraint set_index_ef_construction_is_legal
check (index_ef_construction between 2 * index_m and 1000);
comment on column embedding.set.index_kind is
'What its HNSW indexes hold: halfvec, the vectors; binary, a bit for each dimension, whose hits are ranked again by the vectors. Changing it needs the statements of embedding.index_statements.';
comment on column embedding.set.index_m is 'HNSW links of a node.';
comment on column embedding.set.index_ef_construction is 'HNSW candidate list while building.';

-- measured in docs/decisions/0019: at 384 dimensions the bits lose recall and save little
update embedding.set set index_kind = 'binary'
where width >= 1024;

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.rerank_depth', 'integer', '400', 1, 1000, null, 'chunks',
        'How many hits of a binary index are ranked again by their vectors; at least eight times kb.candidates, at most 1000.');

-- in the one transaction of the deploy: without an index a search would read every vector
-- squawk-ignore require-concurrent-index-deletion
drop index embedding.vector_2_hnsw_idx;
-- squawk-ignore require-concurrent-index-creation
create index vector_2_hnsw_idx on embedding.vector_2
using hnsw ((binary_quantize(embedding)::bit(1536)) bit_hamming_ops)
with (m = 16, ef_construction = 64);
-- scope 1 is national: the first row there ever was
-- squawk-ignore require-concurrent-index-creation
create index vector_2_national_idx on embedding.vector_2
using hnsw ((binary_quantize(embedding)::bit(1536)) bit_hamming_ops)
with (m = 16, ef_construction = 64)
where scope_id = 1;
-- squawk-ignore require-concurrent-index-creation
create index vector_1_national_idx on embedding.vector_1
using hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)
with (m = 16, ef_construction = 64)
where scope_id = 1;

-- how many chunks carry a tag decides how they are searched
-- squawk-ignore require-concurrent-index-creation
create index chunk_fact_tags_idx on corpus.chunk_fact using gin (tags);
