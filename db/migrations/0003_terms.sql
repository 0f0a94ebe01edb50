-- 0003_terms
-- why   parents do not write the words of the law: synonyms and topics are data of a pack
-- lock  none that matters (new objects)
-- undo  drop schema terms cascade;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema terms;
comment on schema terms is 'From the words of a question to the words of the documents.';

create table terms.pack (
    pack text not null,
    revision bigint not null default 1,
    loaded_at timestamptz not null default now(),
    constraint pack_pk primary key (pack)
);
comment on table terms.pack is 'The packs whose words are loaded.';
comment on column terms.pack.pack is 'Name of the pack, e.g. send.';
comment on column terms.pack.revision is 'Grows with every load: part of the key of the query cache.';
comment on column terms.pack.loaded_at is 'When its words were last loaded.';

create table terms.synonym (
    synonym_id bigint generated always as identity,
    pack text not null,
    pattern text not null,
    unless text,
    phrases text not null,
    expansions text[] not null,
    citation text not null default '',
    caution text not null default '',
    constraint synonym_pk primary key (synonym_id),
    constraint synonym_pack_fk foreign key (pack) references terms.pack (pack) on delete cascade,
    constraint synonym_once_per_pattern unique (pack, pattern),
    constraint synonym_expands_to_something check (cardinality(expansions) > 0)
);
comment on table terms.synonym is 'Phrases people use and the terms to add; what was typed is always kept.';
comment on column terms.synonym.synonym_id is 'Key.';
comment on column terms.synonym.pack is 'The pack it came with.';
comment on column terms.synonym.pattern is 'Regular expression over the folded question; fires the row.';
comment on column terms.synonym.unless is 'Regular expression that stops the row: the same word in another sense.';
comment on column terms.synonym.phrases is 'What people say, for readers of the table.';
comment on column terms.synonym.expansions is 'Terms to add to the question.';
comment on column terms.synonym.citation is 'Where the term comes from.';
comment on column terms.synonym.caution is 'What a curator should know about it.';

create table terms.topic (
    pack text not null,
    slug text not null,
    name text not null,
    pattern text not null,
    citation text not null default '',
    fact text not null default '',
    constraint topic_pk primary key (slug),
    constraint topic_pack_fk foreign key (pack) references terms.pack (pack) on delete cascade,
    constraint topic_slug_is_a_slug check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
);
comment on table terms.topic is 'What a question or a document can be about; a tag is one of these slugs.';
comment on column terms.topic.pack is 'The pack it came with.';
comment on column terms.topic.slug is 'The tag.';
comment on column terms.topic.name is 'Name people read.';
comment on column terms.topic.pattern is 'Regular expression over the folded question; a question may have several topics.';
comment on column terms.topic.citation is 'Where the rule comes from.';
comment on column terms.topic.fact is 'The fact most asked for.';
create index topic_pack_idx on terms.topic (pack);
