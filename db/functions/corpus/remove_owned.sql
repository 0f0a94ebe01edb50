-- corpus.remove_owned
-- Remove the private documents of an owner with all their versions, also those shared with others; returns how many.
--
-- In lists of readers that others made the key of the owner stays; nobody is behind it any more.
--
-- called by  privacy.erase_person
-- writes     corpus.scope, corpus.document, corpus.version, corpus.chunk, corpus.chunk_fact, search.text_index,
--            embedding.vector, embedding.cold_vector, queue.task
-- locks      the documents; who publishes one of them is waited for

create or replace function corpus.remove_owned(owner text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _versions bigint[];
    _documents bigint[];
begin
    select array_agg(d.document_id) into _documents
    from (
        select o.document_id
        from corpus.scope as s
        inner join corpus.document as o on s.scope_id = o.scope_id
        where s.kind = 'private' and s.owner = remove_owned.owner
        order by o.document_id
        for update of o
    ) as d;
    select array_agg(w.version_id) into _versions
    from (
        select v.version_id
        from corpus.version as v
        where v.document_id = any(_documents)
        order by v.version_id
        for update
    ) as w;
    delete from queue.task as t
    where t.kind = 'publish_version' and t.subject_id = any(_versions);
    -- vectors have no foreign key, the rest goes with its document
    delete from embedding.vector as v
    using corpus.chunk as c
    where c.version_id = any(_versions) and v.chunk_id = c.chunk_id;
    delete from corpus.document as d where d.document_id = any(_documents);
    delete from corpus.scope as s where s.kind = 'private' and s.owner = remove_owned.owner;
    return coalesce(cardinality(_documents), 0);
end;
$func$;

comment on function corpus.remove_owned is
'Remove the private documents of an owner with all their versions, also those shared with others; returns how many.';
