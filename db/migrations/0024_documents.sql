-- 0024_documents
-- why   curators decide on documents, take a supersession back, and all of it is traced to a login
-- lock  access exclusive on audit.event and corpus.document, for an instant; share on audit.event
--       while its index is built
-- undo  drop view corpus.document_overview; drop and create public.knowledge_base as in 0007;
--       drop table corpus.status_edge;
--       alter table corpus.document drop column stands_alone; drop index audit.event_subject_idx;
--       alter table audit.event drop column login;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

-- who did it is not only what the caller said
alter table audit.event add column login text;
-- apart, so that older events do not claim the login that deploys
alter table audit.event alter column login set default session_user;
comment on column audit.event.login is
'The database login that did it, whoever the caller says it acts for; NULL of events before it was noted.';
comment on column audit.event.actor is 'Who: the person named by the caller, else the database login.';
comment on column audit.event.subject is 'What it was done to, e.g. version 12.';
-- squawk-ignore require-concurrent-index-creation
create index event_subject_idx on audit.event (subject, event_id);

create table corpus.status_edge (
    old_status text not null,
    new_status text not null,
    with_version boolean not null default false,
    meaning text not null,
    constraint status_edge_pk primary key (old_status, new_status),
    constraint status_edge_leads_elsewhere check (old_status <> new_status)
);
comment on table corpus.status_edge is
'The moves a passage may make between validation states; every other is refused (KB013).';
comment on column corpus.status_edge.old_status is 'The state it is in.';
comment on column corpus.status_edge.new_status is 'The state it may go to.';
comment on column corpus.status_edge.with_version is
'Nobody decides for it: it follows its version, and only while that is superseded or published again.';
comment on column corpus.status_edge.meaning is 'What the move says.';
insert into corpus.status_edge (old_status, new_status, with_version, meaning) values
('pending', 'approved', false, 'Read and found right.'),
('pending', 'rejected', false, 'Read and found wrong: no longer retrieved.'),
('pending', 'flagged', false, 'In question: not retrieved until somebody decides.'),
('approved', 'rejected', false, 'Found wrong after all.'),
('approved', 'flagged', false, 'In question again.'),
('flagged', 'approved', false, 'The question is settled: right.'),
('flagged', 'rejected', false, 'The question is settled: wrong.'),
('flagged', 'pending', false, 'The question is withdrawn, nobody has decided.'),
('rejected', 'pending', false, 'To be read again.'),
('rejected', 'approved', false, 'Rejected by mistake.'),
('pending', 'superseded', true, 'Another version took over.'),
('approved', 'superseded', true, 'Another version took over.'),
('superseded', 'pending', true, 'The supersession was undone.'),
('superseded', 'approved', true, 'The supersession was undone.');

alter table corpus.document add column stands_alone boolean not null default false;
comment on column corpus.document.stands_alone is
'A curator undid its supersession by another document: titles group it with no other any more.';
comment on column corpus.version.withdrawn_on is
'The day its source began to say what another source says, or a curator named another document as its successor; NULL when a version of its own document or title took over.';

-- it takes a reason now; the function comes back with its file
-- squawk-ignore ban-drop-function
drop function if exists corpus.set_tags(bigint[], text[], text);

create or replace view public.knowledge_base as
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
    r.published_at as created_at,
    f.quality_score
from corpus.chunk as c
inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
inner join corpus.version as r on c.version_id = r.version_id
inner join corpus.document as d on c.document_id = d.document_id
inner join corpus.scope as s on c.scope_id = s.scope_id
left join search.text_index as t on c.chunk_id = t.chunk_id
left join embedding.set as e on e.active
left join embedding.vector as v on e.set_id = v.set_id and c.chunk_id = v.chunk_id;
comment on column public.knowledge_base.quality_score is 'Quality of the passage, 0 to 100.';

create view corpus.document_overview as
select
    d.document_id,
    s.kind as scope,
    s.la_code,
    s.school_urn,
    s.owner,
    d.source,
    d.source_family,
    d.stands_alone,
    v.version_id,
    v.version,
    v.state,
    v.title,
    v.document_type,
    v.authority,
    v.file_type,
    v.effective_date,
    v.valid_from as in_force_from,
    v.valid_to as in_force_to,
    v.published_at,
    n.document_id as superseded_by_document,
    f.passages,
    f.pending,
    f.approved,
    f.rejected,
    f.flagged,
    f.tags,
    f.quality_score
from corpus.document as d
inner join corpus.scope as s on d.scope_id = s.scope_id
cross join lateral (
    select o.*
    from corpus.version as o
    where o.document_id = d.document_id
    order by o.state = 'published' desc, o.version desc
    limit 1
) as v
left join corpus.version as n on v.superseded_by = n.version_id
cross join lateral (
    select
        count(*)::integer as passages,
        (count(*) filter (where x.status = 'pending'))::integer as pending,
        (count(*) filter (where x.status = 'approved'))::integer as approved,
        (count(*) filter (where x.status = 'rejected'))::integer as rejected,
        (count(*) filter (where x.status = 'flagged'))::integer as flagged,
        coalesce(
            (
                select array_agg(distinct t.tag order by t.tag)
                from corpus.chunk as u
                inner join corpus.chunk_fact as y on u.chunk_id = y.chunk_id
                cross join lateral unnest(y.tags) as t (tag)
                where u.version_id = v.version_id
            ),
            '{}'
        ) as tags,
        round(avg(x.quality_score))::smallint as quality_score
    from corpus.chunk as c
    inner join corpus.chunk_fact as x on c.chunk_id = x.chunk_id
    where c.version_id = v.version_id
) as f;
comment on view corpus.document_overview is
'One row per document: its published version, or its latest when none is, and how far its passages are decided on.';
comment on column corpus.document_overview.document_id is 'The document.';
comment on column corpus.document_overview.scope is 'national, la, school or private.';
comment on column corpus.document_overview.la_code is 'Authority; NULL is national or private.';
comment on column corpus.document_overview.school_urn is 'School, when it is a school''s.';
comment on column corpus.document_overview.owner is 'Who added it, when it is private.';
comment on column corpus.document_overview.source is 'Address or file name.';
comment on column corpus.document_overview.source_family is 'Host, or upload.';
comment on column corpus.document_overview.stands_alone is 'Titles group it with no other document.';
comment on column corpus.document_overview.version_id is 'The version shown.';
comment on column corpus.document_overview.version is 'Its number within the document.';
comment on column corpus.document_overview.state is 'published, superseded or staged.';
comment on column corpus.document_overview.title is 'Its title.';
comment on column corpus.document_overview.document_type is 'What it is.';
comment on column corpus.document_overview.authority is 'Kind of publisher.';
comment on column corpus.document_overview.file_type is 'pdf, docx, html or txt.';
comment on column corpus.document_overview.effective_date is 'The day it says it applies from.';
comment on column corpus.document_overview.in_force_from is 'First day it was in force for as_of.';
comment on column corpus.document_overview.in_force_to is 'First day it no longer was; NULL is still.';
comment on column corpus.document_overview.published_at is 'When this version was published.';
comment on column corpus.document_overview.superseded_by_document is
'The document whose version took over; its own when a later version did.';
comment on column corpus.document_overview.passages is 'Its passages; none while it is staged.';
comment on column corpus.document_overview.pending is 'Passages nobody has decided on.';
comment on column corpus.document_overview.approved is 'Passages found right.';
comment on column corpus.document_overview.rejected is 'Passages found wrong.';
comment on column corpus.document_overview.flagged is 'Passages in question.';
comment on column corpus.document_overview.tags is 'Topic slugs of its passages.';
comment on column corpus.document_overview.quality_score is 'Mean quality of its passages, 0 to 100.';
