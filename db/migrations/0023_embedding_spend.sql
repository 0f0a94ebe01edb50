-- 0023_embedding_spend
-- why   what a document's vectors cost is told from what the provider billed
-- lock  access exclusive on embedding.set for a moment
-- undo  drop view embedding.document_spend; drop table embedding.spend;
--       alter table embedding.set drop column usd_per_million_tokens
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table embedding.set
add column usd_per_million_tokens numeric,
-- a handful of rows
-- squawk-ignore constraint-missing-not-valid
add constraint set_price_not_negative check (usd_per_million_tokens >= 0);
comment on column embedding.set.usd_per_million_tokens is
'What the provider asks for a million tokens; NULL when nobody said. A change holds for what is embedded after it.';
update embedding.set set usd_per_million_tokens = 0
where provider = 'local';
-- the list price of 2024-01-25
update embedding.set set usd_per_million_tokens = 0.13
where model = 'text-embedding-3-large';

create table embedding.spend (
    version_id bigint not null,
    set_id integer not null,
    chunks bigint not null default 0,
    tokens bigint not null default 0,
    unpriced_tokens bigint not null default 0,
    cost_usd numeric not null default 0,
    last_at timestamptz not null default now(),
    constraint spend_pk primary key (version_id, set_id),
    constraint spend_version_fk
    foreign key (version_id) references corpus.version (version_id) on delete cascade,
    constraint spend_set_fk
    foreign key (set_id) references embedding.set (set_id) on delete cascade,
    constraint spend_not_negative
    check (chunks >= 0 and tokens >= 0 and unpriced_tokens >= 0 and cost_usd >= 0)
);
create index spend_set_idx on embedding.spend (set_id);
comment on table embedding.spend is
'What the provider billed for the texts of a version, those of failed attempts included.';
comment on column embedding.spend.version_id is 'The version.';
comment on column embedding.spend.set_id is 'The embedding set.';
comment on column embedding.spend.chunks is
'How many chunks were sent; more than the version has when some were sent again.';
comment on column embedding.spend.tokens is
'Tokens as the provider counted them; our estimate where it tells none.';
comment on column embedding.spend.unpriced_tokens is
'Those of them that were used while the set had no price.';
comment on column embedding.spend.cost_usd is 'Price of the others, as it was when they were used.';
comment on column embedding.spend.last_at is 'When something was last added.';

create view embedding.document_spend as
select
    d.document_id,
    d.source,
    s.name as set_name,
    s.model,
    count(*)::integer as versions,
    sum(p.chunks)::bigint as chunks,
    sum(p.tokens)::bigint as tokens,
    sum(p.unpriced_tokens)::bigint as unpriced_tokens,
    sum(p.cost_usd) as cost_usd,
    max(p.last_at) as last_at
from embedding.spend as p
inner join corpus.version as v on p.version_id = v.version_id
inner join corpus.document as d on v.document_id = d.document_id
inner join embedding.set as s on p.set_id = s.set_id
group by d.document_id, d.source, s.name, s.model;
comment on view embedding.document_spend is
'What the provider billed for each document, all versions together.';
comment on column embedding.document_spend.document_id is 'The document.';
comment on column embedding.document_spend.source is 'Address or file name.';
comment on column embedding.document_spend.set_name is 'The embedding set.';
comment on column embedding.document_spend.model is 'Its model.';
comment on column embedding.document_spend.versions is 'How many versions of it were sent.';
comment on column embedding.document_spend.chunks is 'Chunks sent.';
comment on column embedding.document_spend.tokens is 'Tokens billed.';
comment on column embedding.document_spend.unpriced_tokens is
'Those of them that were used while the set had no price.';
comment on column embedding.document_spend.cost_usd is 'Price of the others.';
comment on column embedding.document_spend.last_at is 'When something was last added.';
