-- 0001_config
-- why   every tunable number of the search is one row a DBA can read, with its meaning beside it
-- lock  none that matters (new objects)
-- undo  drop schema config, audit cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema config;
comment on schema config is 'What can be tuned, its default and where the value in force comes from.';

create table config.setting (
    name text not null,
    kind text not null,
    default_value text,
    installed_value text,
    minimum numeric,
    maximum numeric,
    choices text[],
    unit text not null default '',
    meaning text not null,
    constraint setting_pk primary key (name),
    constraint setting_name_is_a_guc check (name ~ '^kb\.[a-z0-9_]+$'),
    constraint setting_kind_is_known
    check (kind in ('number', 'integer', 'boolean', 'text', 'list'))
);
comment on table config.setting is
'The settings pgkb knows. A session or role value (set kb.x = ...) wins over the installed value, which wins over the default.';
comment on column config.setting.name is 'Name as a custom parameter, e.g. kb.rrf_k.';
comment on column config.setting.kind is 'number, integer, boolean, text or list (comma separated).';
comment on column config.setting.default_value is
'Value when nobody set one; NULL means the active embedding set decides.';
comment on column config.setting.installed_value is
'Value for this database, set by config.install_setting; survives restarts and dumps.';
comment on column config.setting.minimum is 'Smallest legal number; NULL is no bound.';
comment on column config.setting.maximum is 'Largest legal number; NULL is no bound.';
comment on column config.setting.choices is 'Legal words of a text or list setting; NULL is any.';
comment on column config.setting.unit is 'Unit of the value, empty for a plain number.';
comment on column config.setting.meaning is 'What changes when the value changes.';

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.visible_statuses', 'list', 'approved,pending', null, null,
        array['approved', 'pending'], '',
        'Validation states that may be retrieved; every other state is never returned.'),
    ('kb.candidates', 'integer', '50', 1, 1000, null, 'chunks',
        'How many chunks each leg brings to fusion.'),
    ('kb.retrieval_floor', 'number', null, -1, 1, null, 'cosine similarity',
        'The vector leg drops chunks less similar than this.'),
    ('kb.relevance_threshold', 'number', null, -1, 1, null, 'cosine similarity',
        'After fusion a chunk needs this similarity, unless an identifier or every rare word matched.'),
    ('kb.school_floor', 'number', null, -1, 1, null, 'cosine similarity',
        'The floor for documents of the school that was asked about.'),
    ('kb.school_boost_limit', 'integer', '3', 0, 20, null, 'chunks',
        'How many chunks of the school that was asked about are brought in.'),
    ('kb.rrf_k', 'number', '60', 1, 1000, null, '',
        'The k of Reciprocal Rank Fusion; larger flattens the difference between ranks.'),
    ('kb.vector_weight', 'number', null, 0, 10, null, '',
        'Weight of the vector leg in fusion.'),
    ('kb.keyword_weight', 'number', null, 0, 10, null, '',
        'Weight of the keyword leg in fusion.'),
    ('kb.expansion_weight', 'number', '0.3', 0, 1, null, '',
        'Weight of a synonym against a word the person typed, in BM25.'),
    ('kb.top_k', 'integer', '10', 1, 100, null, 'chunks', 'How many chunks an answer holds.'),
    ('kb.max_chunks_per_document', 'integer', '3', 1, 100, null, 'chunks',
        'How many chunks of one document an answer may hold.'),
    ('kb.chunk_expansion_enabled', 'boolean', 'on', null, null, null, '',
        'Whether context carries the neighbours of a chunk.'),
    ('kb.freshness_floor', 'number', '0.8', 0, 1, null, '',
        'The weight a very old document keeps; 1 switches freshness off.'),
    ('kb.topic_boost', 'number', '1.1', 0.1, 10, null, '',
        'Multiplies the score of a chunk tagged with a topic of the question.'),
    ('kb.local_boost', 'number', '1.2', 0.1, 10, null, '',
        'Multiplies the score of the person''s own authority and school against national text.'),
    ('kb.bm25_k1', 'number', '1.2', 0, 10, null, '', 'BM25 term frequency saturation.'),
    ('kb.bm25_b', 'number', '0.75', 0, 1, null, '', 'BM25 length normalisation.'),
    ('kb.rare_share', 'number', '0.02', 0, 1, null, 'share of chunks',
        'A word of the question is rare when at most this share of the chunks holds it.'),
    ('kb.keyword_coverage', 'number', '0.5', 0, 1, null, 'share of idf',
        'With no query vector a chunk must match this share of the question''s idf.'),
    ('kb.keyword_mode', 'text', 'corpus', null, null, array['corpus', 'vector_first'], '',
        'corpus: BM25 over all visible chunks; vector_first: BM25 only re-scores the vector leg.'),
    ('kb.keyword_budget', 'integer', '30000', 100, 10000000, null, 'postings',
        'How many postings the keyword leg may read, rarest words first.'),
    ('kb.keyword_terms', 'integer', '48', 1, 512, null, 'words',
        'How many words of a question are scored, rarest first.'),
    ('kb.exact_limit', 'integer', '20000', 0, 100000000, null, 'chunks',
        'Scopes that hold at most this many chunks together are scanned exactly; larger ones use the index.'),
    ('kb.ef_search', 'integer', '100', 1, 1000, null, 'candidates',
        'HNSW candidate list size; at least kb.candidates is used.'),
    ('kb.text_config', 'text', 'english', null, null, null, '',
        'Text search configuration of index and question; changing it needs a re-index.'),
    ('kb.chunk_size', 'integer', '1000', 100, 8000, null, 'characters',
        'Target length of a chunk.'),
    ('kb.chunk_overlap', 'integer', '200', 0, 7999, null, 'characters',
        'Text that two neighbouring chunks share; must be less than the chunk size.'),
    ('kb.chunk_minimum', 'integer', '50', 0, 4000, null, 'characters',
        'A last chunk with less new text than this is merged into the one before it.'),
    ('kb.max_document_length', 'integer', '20000000', 1000, 100000000, null, 'characters',
        'Longer documents are refused.'),
    ('kb.query_cache_days', 'integer', '30', 0, 3650, null, 'days',
        'How long the vector of a question is kept; 0 keeps none.');

create view config.settings as
select
    s.name,
    s.default_value,
    s.unit,
    s.meaning,
    coalesce(
        nullif(pg_catalog.current_setting(s.name, true), ''), s.installed_value, s.default_value
    ) as value,
    case
        when nullif(pg_catalog.current_setting(s.name, true), '') is not null then 'session or role'
        when s.installed_value is not null then 'installed'
        when s.default_value is not null then 'default'
        else 'embedding set'
    end as source
from config.setting as s
order by s.name;
comment on view config.settings is
'Every setting with the value in force for this session, its default, where it comes from and what it means.';
comment on column config.settings.name is 'Name, e.g. kb.rrf_k.';
comment on column config.settings.default_value is 'Value when nobody set one.';
comment on column config.settings.unit is 'Unit of the value.';
comment on column config.settings.meaning is 'What changes when the value changes.';
comment on column config.settings.value is 'The value in force; NULL means the active embedding set decides.';
comment on column config.settings.source is 'session or role, installed, default or embedding set.';

create schema audit;
comment on schema audit is 'Who did what, and what the search could not serve.';

create table audit.event (
    event_id bigint generated always as identity,
    at timestamptz not null default now(),
    actor text not null default session_user,
    kind text not null,
    subject text,
    detail jsonb not null default '{}',
    constraint event_pk primary key (event_id)
);
comment on table audit.event is 'One row per decision that somebody may have to explain later; never changed.';
comment on column audit.event.event_id is 'Key; grows with time.';
comment on column audit.event.at is 'When.';
comment on column audit.event.actor is 'Who: the person named by the caller, else the database role.';
comment on column audit.event.kind is 'What, e.g. la_coverage_miss, status_changed, superseded.';
comment on column audit.event.subject is 'What it was done to, e.g. chunk 12.';
comment on column audit.event.detail is 'The facts; never the text of a question.';
create index event_kind_at_idx on audit.event (kind, at);
