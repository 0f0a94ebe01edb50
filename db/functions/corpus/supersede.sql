-- corpus.supersede
-- Say that another document of the same scope took over, where titles do not tell; returns the version that is superseded by it.
--
-- It held until the other's first day, or until today when that day came before its own. Whatever
-- the two are called; corpus.undo_supersession takes it back.
--
-- definer because  it moves vectors and texts that no curator may write; it takes ids and words
-- called by  curators, ingest/documents/calls.py
-- writes     what corpus.retire_version writes, corpus.document
-- locks      advisory: shared against embedding.activate, then corpus.lock_titles; then rows
-- raises     KB022 no such document, KB024 one that cannot take over or be superseded

create or replace function corpus.supersede(
    document_id bigint,
    successor_id bigint,
    actor text default null,
    reason text default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _ids bigint[] := array[supersede.document_id, supersede.successor_id];
    _unknown bigint;
    _old corpus.version;
    _new corpus.version;
    _spoken text[];
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
    perform corpus.lock_titles(_ids);
    perform from corpus.document as d
    where d.document_id = any(_ids)
    order by d.document_id
    for update;
    select u.id into _unknown
    from unnest(_ids) as u (id)
    where not exists (select from corpus.document as d where d.document_id = u.id);
    if found then
        raise exception 'there is no document %', coalesce(_unknown::text, 'without an id')
            using errcode = 'KB022', hint = 'See: select * from corpus.document_overview;';
    end if;
    if supersede.document_id = supersede.successor_id or (
        select count(distinct d.scope_id) from corpus.document as d where d.document_id = any(_ids)
    ) > 1 then
        raise exception 'document % cannot take over from document %',
            supersede.successor_id, supersede.document_id
            using errcode = 'KB024',
                  detail = 'Who sees the one must see the other: two documents of one scope.',
                  hint = 'Reject its passages instead: corpus.decide_documents.';
    end if;
    select v.* into _old
    from corpus.version as v
    where v.document_id = supersede.document_id and v.state = 'published'
    for update;
    select v.* into _new
    from corpus.version as v
    where v.document_id = supersede.successor_id and v.state = 'published';
    if _old.version_id is null or _new.version_id is null then
        raise exception 'document % has no published version',
            case
                when _old.version_id is null then supersede.document_id
                else supersede.successor_id
            end
            using errcode = 'KB024',
                  hint = 'See: select * from corpus.document_history(document_id);';
    end if;
    _spoken := audit.speak_for(supersede.actor, supersede.reason);
    update corpus.document as d
    set stands_alone = false
    where d.document_id = supersede.document_id and d.stands_alone;
    update corpus.version as v
    set withdrawn_on = case
        when _new.valid_from > v.valid_from then _new.valid_from else current_date
    end
    where v.version_id = _old.version_id;
    perform corpus.retire_version(_old.version_id, _new.version_id);
    perform corpus.lay_timeline(supersede.document_id);
    perform audit.speak_for(_spoken[1], _spoken[2]);
    return _old.version_id;
end;
$func$;

comment on function corpus.supersede is
'Say that another document of the same scope took over, where titles do not tell; returns the version that is superseded by it.';
