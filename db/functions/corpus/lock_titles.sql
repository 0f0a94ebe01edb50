-- corpus.lock_titles
-- Wait until nobody publishes under the titles of these documents, and keep publishers waiting until the transaction ends.
--
-- Whoever takes these locks first and rows afterwards cannot deadlock with a publisher, which does
-- the same. For up to 50 documents: each title takes room in the table of locks. another_key is
-- a title that they are about to get.
--
-- called by  corpus.settle_version, corpus.reserve_titles, corpus.correct_facts,
--            corpus.decide_chunks, corpus.decide_documents, corpus.supersede,
--            corpus.undo_supersession, validation.judge_batch, corpus.withdraw
-- locks      advisory: the titles of the documents within scope and family

create or replace function corpus.lock_titles(document_ids bigint[], another_key text default null)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _title record;
begin
    for _title in
        select distinct d.scope_id, d.source_family, k.title_key
        from corpus.document as d
        cross join lateral (
            select v.title_key from corpus.version as v where v.document_id = d.document_id
            union all
            select lock_titles.another_key
        ) as k
        where d.document_id = any(lock_titles.document_ids) and k.title_key is not null
        order by d.scope_id, d.source_family, k.title_key
    loop
        perform pg_advisory_xact_lock(hashtextextended(
            _title.scope_id || _title.source_family || ' ' || _title.title_key, 3
        ));
    end loop;
end;
$func$;

comment on function corpus.lock_titles is
'Wait until nobody publishes under the titles of these documents, and keep publishers waiting until the transaction ends.';
