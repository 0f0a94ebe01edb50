-- 0004_corpus
-- why   a document is the unit of truth; what changes about a chunk stays apart from what never does
-- lock  none that matters (new objects)
-- undo  drop schema corpus cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema corpus;
comment on schema corpus is 'Documents, their versions and chunks, and who may see them.';

create table corpus.scope (
    scope_id bigint generated always as identity,
    kind text not null,
    la_code text,
    school_urn text,
    owner text,
    principals text[] not null default '{}',
    constraint scope_pk primary key (scope_id),
    constraint scope_authority_fk foreign key (la_code) references place.authority (gss),
    constraint scope_school_fk foreign key (school_urn) references place.school (urn),
    constraint scope_is_exactly_one_kind check (
        case kind
            when 'national' then la_code is null and school_urn is null and owner is null
            when 'la' then la_code is not null and school_urn is null and owner is null
            when 'school' then la_code is not null and school_urn is not null and owner is null
            when 'private' then owner is not null
            else false
        end
    ),
    constraint scope_only_private_is_shared check (kind = 'private' or principals = '{}')
);
-- by hash: a list of readers may be longer than an index entry
create unique index scope_once_idx on corpus.scope
(kind, la_code, school_urn, owner, hash_array_extended(principals, 0)) nulls not distinct;
comment on table corpus.scope is
'A set of documents that the same people may see: national, one authority, one school, or private to principals.';
comment on column corpus.scope.scope_id is 'Key.';
comment on column corpus.scope.kind is 'national, la, school or private.';
comment on column corpus.scope.la_code is 'The authority, of la and school scopes.';
comment on column corpus.scope.school_urn is 'The school, of school scopes.';
comment on column corpus.scope.owner is 'The principal who added private documents.';
comment on column corpus.scope.principals is 'Whom the owner shares with, sorted; the owner always sees.';
create index scope_authority_idx on corpus.scope (la_code);
create index scope_school_idx on corpus.scope (school_urn);
create index scope_owner_idx on corpus.scope (owner) where kind = 'private';
create index scope_principals_idx on corpus.scope using gin (principals) where kind = 'private';
insert into corpus.scope (kind) values ('national');

create table corpus.authority_rank (
    authority text not null,
    pack text not null,
    weight double precision not null,
    meaning text not null default '',
    constraint authority_rank_pk primary key (authority),
    constraint authority_rank_pack_fk
    foreign key (pack) references terms.pack (pack) on delete cascade,
    constraint authority_rank_weight_is_mild check (weight between 0.5 and 2)
);
comment on table corpus.authority_rank is 'How much the kind of publisher weighs after fusion.';
comment on column corpus.authority_rank.authority is 'Kind of publisher, e.g. statutory, la, charity.';
comment on column corpus.authority_rank.pack is 'The pack it came with.';
comment on column corpus.authority_rank.weight is 'Multiplies the fused score.';
comment on column corpus.authority_rank.meaning is 'What counts as this kind.';
create index authority_rank_pack_idx on corpus.authority_rank (pack);

create table corpus.domain (
    domain text not null,
    pack text not null,
    authority text not null,
    constraint domain_pk primary key (domain),
    constraint domain_pack_fk foreign key (pack) references terms.pack (pack) on delete cascade,
    constraint domain_authority_fk
    foreign key (authority) references corpus.authority_rank (authority)
);
comment on table corpus.domain is 'Web sites whose pages hold everywhere: they are national whoever adds them.';
comment on column corpus.domain.domain is 'Registrable domain or host, lower case.';
comment on column corpus.domain.pack is 'The pack it came with.';
comment on column corpus.domain.authority is 'The kind of publisher of its pages.';
create index domain_pack_idx on corpus.domain (pack);
create index domain_authority_idx on corpus.domain (authority);

create table corpus.document (
    document_id bigint generated always as identity,
    scope_id bigint not null,
    source text not null,
    source_family text not null,
    created_at timestamptz not null default now(),
    constraint document_pk primary key (document_id),
    constraint document_scope_fk foreign key (scope_id) references corpus.scope (scope_id),
    constraint document_once_per_source unique (scope_id, source),
    constraint document_source_not_empty check (source <> '')
);
comment on table corpus.document is 'A document is a source in a scope; its text lives in versions.';
comment on column corpus.document.document_id is 'Key.';
comment on column corpus.document.scope_id is 'Who may see it; never changes.';
comment on column corpus.document.source is 'Address or file name it came from.';
comment on column corpus.document.source_family is
'Host of an address, or upload: only documents of one family supersede each other by title.';
comment on column corpus.document.created_at is 'When it was first added.';

create table corpus.version (
    version_id bigint generated always as identity,
    document_id bigint not null,
    version integer not null,
    state text not null default 'staged',
    title text not null,
    title_key text,
    content_hash bytea not null,
    file_type text not null,
    document_type text,
    authority text,
    tags text[] not null default '{}',
    effective_date date,
    metadata jsonb not null default '{}',
    valid_from date,
    valid_to date,
    superseded_by bigint,
    staged_at timestamptz not null default now(),
    published_at timestamptz,
    constraint version_pk primary key (version_id),
    constraint version_document_fk
    foreign key (document_id) references corpus.document (document_id) on delete cascade,
    constraint version_superseded_by_fk
    foreign key (superseded_by) references corpus.version (version_id) on delete set null,
    constraint version_authority_fk
    foreign key (authority) references corpus.authority_rank (authority),
    constraint version_once_per_number unique (document_id, version),
    constraint version_state_is_known check (state in ('staged', 'published', 'superseded')),
    constraint version_file_type_is_known check (file_type in ('pdf', 'docx', 'html', 'txt')),
    constraint version_hash_is_sha256 check (octet_length(content_hash) = 32)
);
comment on table corpus.version is
'One text of a document. Exactly one is published at a time; earlier ones stay for as_of and for old citations.';
comment on column corpus.version.version_id is 'Key.';
comment on column corpus.version.document_id is 'Its document.';
comment on column corpus.version.version is 'Counts from 1 within the document.';
comment on column corpus.version.state is 'staged (nobody sees it), published or superseded.';
comment on column corpus.version.title is 'Title people read.';
comment on column corpus.version.title_key is
'Folded title without years and version words; NULL when too generic to supersede by.';
comment on column corpus.version.content_hash is 'SHA-256 over the normalised text.';
comment on column corpus.version.file_type is 'pdf, docx, html or txt, decided by bytes.';
comment on column corpus.version.document_type is 'What it is, e.g. policy, guidance; free text of the pack.';
comment on column corpus.version.authority is 'Kind of publisher; NULL weighs neutral.';
comment on column corpus.version.tags is 'Topic slugs its chunks start with.';
comment on column corpus.version.effective_date is 'The day it says it applies from.';
comment on column corpus.version.metadata is 'What the parser found; no NUL, no question text.';
comment on column corpus.version.valid_from is 'First day it was in force for as_of.';
comment on column corpus.version.valid_to is 'First day it was no longer in force; NULL is still.';
comment on column corpus.version.superseded_by is 'The version that took over, of this or another document.';
comment on column corpus.version.staged_at is 'When its text was stored.';
comment on column corpus.version.published_at is 'When it became visible.';
create unique index version_one_published_idx on corpus.version (document_id)
where state = 'published';
create index version_content_hash_idx on corpus.version (content_hash);
create index version_title_key_idx on corpus.version (title_key) where state = 'published';
create index version_superseded_by_idx on corpus.version (superseded_by);
create index version_staged_idx on corpus.version (staged_at) where state = 'staged';
create index version_authority_idx on corpus.version (authority);

create table corpus.chunk (
    chunk_id bigint generated always as identity,
    version_id bigint not null,
    document_id bigint not null,
    scope_id bigint not null,
    chunk_index integer not null,
    start_at integer not null,
    content text not null,
    content_hash bytea not null,
    embedding_hash bytea not null,
    constraint chunk_pk primary key (chunk_id),
    constraint chunk_version_fk
    foreign key (version_id) references corpus.version (version_id) on delete cascade,
    constraint chunk_once_per_index unique (version_id, chunk_index),
    constraint chunk_content_not_blank check (content ~ '\S')
);
comment on table corpus.chunk is 'A passage of a version: what is retrieved and cited. Never changes.';
comment on column corpus.chunk.chunk_id is 'Key; a citation names it.';
comment on column corpus.chunk.version_id is 'Its version.';
comment on column corpus.chunk.document_id is 'Its document, copied so that a search needs no join for it.';
comment on column corpus.chunk.scope_id is 'Its scope, copied for the same reason.';
comment on column corpus.chunk.chunk_index is 'Counts from 0 within the version.';
comment on column corpus.chunk.start_at is 'Characters of the document before it.';
comment on column corpus.chunk.content is 'The passage, word for word.';
comment on column corpus.chunk.content_hash is 'SHA-256 of the content: equal passages collapse in an answer.';
comment on column corpus.chunk.embedding_hash is
'SHA-256 of title and content as sent to the model: equal ones reuse the stored vector.';
create index chunk_document_idx on corpus.chunk (document_id);
create index chunk_embedding_hash_idx on corpus.chunk (embedding_hash);

create table corpus.chunk_fact (
    chunk_id bigint not null,
    scope_id bigint not null,
    status text not null default 'pending',
    tags text[] not null default '{}',
    quality_score smallint not null default 0,
    reviewed_by text,
    reviewed_at timestamptz,
    constraint chunk_fact_pk primary key (chunk_id),
    constraint chunk_fact_chunk_fk
    foreign key (chunk_id) references corpus.chunk (chunk_id) on delete cascade,
    constraint chunk_fact_status_is_known
    check (status in ('pending', 'approved', 'rejected', 'flagged', 'superseded')),
    constraint chunk_fact_quality_is_a_percentage check (quality_score between 0 and 100)
)
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index chunk_fact_scope_idx on corpus.chunk_fact (scope_id);
comment on table corpus.chunk_fact is
'What may change about a published chunk, in a narrow row of its own: a change writes no page of the vector or the text index.';
comment on column corpus.chunk_fact.chunk_id is 'The chunk.';
comment on column corpus.chunk_fact.scope_id is 'Its scope, copied.';
comment on column corpus.chunk_fact.status is 'pending, approved, rejected, flagged or superseded.';
comment on column corpus.chunk_fact.tags is 'Topic slugs.';
comment on column corpus.chunk_fact.quality_score is '0 to 100, see corpus.quality_score.';
comment on column corpus.chunk_fact.reviewed_by is 'Who last decided on it.';
comment on column corpus.chunk_fact.reviewed_at is 'When.';
