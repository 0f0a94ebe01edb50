-- corpus.undo_supersession
-- Take back that another version took over: a superseded version is published again, its passages as they were before.
--
-- Superseded by a later version of its own document, it takes that one's place. Superseded by
-- another document, both are published, and its document stands alone from then on: no title
-- retires it again, also not when the same arrives once more. corpus.supersede ends that.
--
-- definer because  it moves vectors and texts that no curator may write; it takes an id and words
-- called by  curators, ingest/documents/calls.py
-- writes     what corpus.retire_version and corpus.restore_version write, corpus.document
-- locks      advisory: shared against embedding.activate, then corpus.lock_titles; then rows
-- raises     KB009 unknown version, KB010 a chunk lacks its vector, KB023 nothing to undo, ST002
--            unusable setting

create or replace function corpus.undo_supersession(
    version_id bigint,
    actor text default null,
    reason text default null
)
returns table (document_id bigint, version integer, stands_alone boolean, retired_version bigint)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _old corpus.version;
    _spoken text[];
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
    select v.* into _old from corpus.version as v where v.version_id = undo_supersession.version_id;
    perform corpus.lock_titles(array[_old.document_id]);
    perform from corpus.document as d where d.document_id = _old.document_id for update;
    select v.* into _old
    from corpus.version as v
    where v.version_id = undo_supersession.version_id
    for update;
    if not found then
        raise exception 'there is no version %', undo_supersession.version_id
            using errcode = 'KB009',
                  hint = 'See: select * from corpus.document_history(document_id);';
    end if;
    if _old.state <> 'superseded' then
        raise exception 'version % is %, not superseded', _old.version_id, _old.state
            using errcode = 'KB023',
                  hint = 'See: select * from corpus.document_history(document_id);';
    end if;
    _spoken := audit.speak_for(undo_supersession.actor, undo_supersession.reason);

    select v.version_id into retired_version
    from corpus.version as v
    where v.document_id = _old.document_id and v.state = 'published';
    perform corpus.retire_version(retired_version, _old.version_id);
    update corpus.document as d
    set stands_alone = true
    where
        d.document_id = _old.document_id
        and not d.stands_alone
        and (
            exists (select from corpus.rivals_of(_old.version_id))
            or exists (
                select
                from corpus.version as s
                where s.version_id = _old.superseded_by and s.document_id <> d.document_id
            )
        );
    perform corpus.restore_version(_old.version_id);
    perform corpus.lay_timeline(_old.document_id);
    perform audit.speak_for(_spoken[1], _spoken[2]);
    return query
    select d.document_id, _old.version, d.stands_alone, undo_supersession.retired_version
    from corpus.document as d
    where d.document_id = _old.document_id;
end;
$func$;

comment on function corpus.undo_supersession is
'Take back that another version took over: a superseded version is published again, its passages as they were before.';
