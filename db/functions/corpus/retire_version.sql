-- corpus.retire_version
-- Take a published version out of the search because another took over, or none; it stays for as_of and old citations.
--
-- Of a document that stands alone only its own next version takes over: what a curator brought
-- back stays although the same arrives again.
--
-- called by  corpus.settle_version, corpus.stage_document, corpus.supersede,
--            corpus.undo_supersession, corpus.correct_facts, corpus.release_version, corpus.withdraw
-- writes     corpus.version, corpus.chunk_fact, search.text_index, embedding.vector,
--            embedding.cold_vector, audit.event

create or replace function corpus.retire_version(version_id bigint, successor_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    update corpus.version as v
    set withdrawn_on = null
    from corpus.document as d, corpus.version as s
    where
        v.version_id = retire_version.version_id
        and v.state = 'published'
        and d.document_id = v.document_id
        and d.stands_alone
        and s.version_id = retire_version.successor_id
        and s.document_id <> v.document_id;
    if found then
        return;
    end if;
    update corpus.version as v
    set
        state = 'superseded',
        superseded_by = retire_version.successor_id,
        valid_to = greatest(v.valid_from, coalesce(v.withdrawn_on, (
            select s.valid_from
            from corpus.version as s
            where s.version_id = retire_version.successor_id
        )))
    where
        v.version_id = retire_version.version_id
        and v.state = 'published'
        and (
            retire_version.successor_id is null
            or exists (
                select from corpus.version as s where s.version_id = retire_version.successor_id
            )
        );
    if not found then
        return;
    end if;
    -- in the order of set_status, so that a curator and a publisher cannot deadlock
    perform from corpus.chunk_fact as f
    where f.chunk_id in (
        select c.chunk_id from corpus.chunk as c where c.version_id = retire_version.version_id
    )
    order by f.chunk_id
    for update;
    -- what a curator rejected or flagged stays so: as_of must not bring it back
    update corpus.chunk_fact as f
    set status = 'superseded'
    from corpus.chunk as c
    where
        c.version_id = retire_version.version_id
        and f.chunk_id = c.chunk_id
        and f.status in ('pending', 'approved');
    delete from search.text_index as t
    using corpus.chunk as c
    where c.version_id = retire_version.version_id and t.chunk_id = c.chunk_id;
    with cooled_vector as (
        delete from embedding.vector as v
        using corpus.chunk as c
        where c.version_id = retire_version.version_id and v.chunk_id = c.chunk_id
        returning v.set_id, v.chunk_id, v.embedding
    )

    insert into embedding.cold_vector (set_id, chunk_id, embedding)
    select w.set_id, w.chunk_id, w.embedding
    from cooled_vector as w;
    perform audit.write_event(
        'superseded', 'version ' || retire_version.version_id,
        jsonb_build_object('by', retire_version.successor_id)
    );
end;
$func$;

comment on function corpus.retire_version is
'Take a published version out of the search because another took over, or none; it stays for as_of and old citations.';
