-- corpus.withdraw
-- Take a document out of the search because its source is gone, with or without another document that took over; false when none is published.
--
-- It stays for as_of, old citations and corpus.undo_supersession. When its source says the same text
-- again, that is published again, also where another document had taken over. A document that somebody brought
-- back against another one (it stands alone) is withdrawn all the same: its source is gone.
--
-- called by  crawl.retire_page, crawl.record_page
-- writes     corpus.version, and what corpus.discard_version, corpus.retire_version and
--            corpus.lay_timeline write
-- locks      the source when a text waits, then as corpus.publish_version

create or replace function corpus.withdraw(
    document_id bigint,
    successor_id bigint default null,
    reason text default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _old bigint;
    _new bigint;
    _spoken text[];
begin
    -- a text of it that is still to be published must not bring it back
    perform corpus.discard_version(v.version_id)
    from corpus.version as v
    where v.document_id = withdraw.document_id and v.state = 'staged';
    perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
    perform corpus.lock_titles(array[withdraw.document_id]);
    perform from corpus.document as d where d.document_id = withdraw.document_id for update;
    select v.version_id into _old
    from corpus.version as v
    where v.document_id = withdraw.document_id and v.state = 'published'
    for update;
    if not found then
        -- hidden by another document: it must not come back when that one is corrected, only when
        -- its source says it again
        update corpus.version as v
        set
            withdrawn_on = current_date,
            moved_on = true
        where
            v.document_id = withdraw.document_id
            and v.state = 'superseded'
            and v.withdrawn_on is null
            and exists (
                select from corpus.version as s
                where s.version_id = v.superseded_by and s.document_id <> v.document_id
            );
        return false;
    end if;
    select v.version_id into _new
    from corpus.version as v
    inner join corpus.document as d on v.document_id = d.document_id
    inner join corpus.document as o on d.scope_id = o.scope_id
    where
        d.document_id = withdraw.successor_id and v.state = 'published'
        and o.document_id = withdraw.document_id
        -- who stands alone is not taken over by another document
        and not o.stands_alone;
    _spoken := audit.speak_for(null, withdraw.reason);
    update corpus.version as v
    set
        withdrawn_on = current_date,
        moved_on = _new is not null
    where v.version_id = _old;
    perform corpus.retire_version(_old, _new);
    perform corpus.lay_timeline(withdraw.document_id);
    perform audit.speak_for(_spoken[1], _spoken[2]);
    return true;
end;
$func$;

comment on function corpus.withdraw is
'Take a document out of the search because its source is gone, with or without another document that took over; false when none is published.';
