-- corpus.decide_documents
-- Decide on the passages of up to 50 documents at once, each document for itself: one row each, changed, unchanged, refused or unknown, and why.
--
-- It decides on the published version. Approving is for passages nobody has decided on: one that
-- was rejected or flagged by itself stays so; of a document that is out as a whole all come back.
-- Any other decision moves every passage that may go.
--
-- called by  curators, ingest/documents/calls.py
-- writes     corpus.chunk_fact, audit.event
-- locks      advisory: corpus.lock_titles; then the facts in one order
-- raises     KB013 a state that is not decided for, KB021 too many at once

create or replace function corpus.decide_documents(
    document_ids bigint[],
    status text,
    actor text default null,
    reason text default null
)
returns table (
    document_id bigint,
    outcome text,
    changed integer,
    kept integer,
    explanation text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _ids bigint[] := corpus.check_batch(decide_documents.document_ids);
    _row record;
begin
    perform corpus.check_decision(decide_documents.status);
    perform corpus.lock_titles(_ids);
    perform corpus.lock_facts(array(
        select f.chunk_id
        from corpus.version as v
        inner join corpus.chunk as c on v.version_id = c.version_id
        inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
        where v.document_id = any(_ids) and v.state = 'published'
    ));
    for _row in
        select
            u.id,
            d.document_id is not null as known,
            v.version_id is not null as published,
            case
                when decide_documents.status = 'approved'
                    and bool_or(f.status in ('pending', 'approved'))
                    then array_agg(f.chunk_id) filter (where f.status = 'pending')
                else array_agg(f.chunk_id) filter (where not e.with_version)
            end as chunks,
            bool_or(not e.with_version) as may_move,
            count(*) filter (where f.status <> decide_documents.status) as others,
            string_agg(distinct f.status, ', ') filter (
                where f.status <> decide_documents.status
            ) as other_states
        from unnest(_ids) as u (id)
        left join corpus.document as d on u.id = d.document_id
        left join corpus.version as v on d.document_id = v.document_id and v.state = 'published'
        left join corpus.chunk as c on v.version_id = c.version_id
        left join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
        left join corpus.status_edge as e
            on f.status = e.old_status and e.new_status = decide_documents.status
        group by u.id, d.document_id, v.version_id
        order by u.id
    loop
        document_id := _row.id;
        changed := 0;
        kept := 0;
        if not _row.known then
            outcome := 'unknown';
            explanation := 'there is no document ' || _row.id;
        elsif not _row.published then
            outcome := 'refused';
            explanation := 'no version of it is published';
        elsif _row.chunks is not null then
            changed := corpus.set_status(
                _row.chunks, decide_documents.status,
                decide_documents.actor, decide_documents.reason
            );
            kept := _row.others - changed;
            outcome := 'changed';
            explanation := case
                when kept > 0 then format('%s passages stay as a curator left them', kept)
            end;
        elsif _row.others > 0 then
            kept := _row.others;
            outcome := case when _row.may_move then 'unchanged' else 'refused' end;
            explanation := case
                when _row.may_move then format('%s passages stay as a curator left them', kept)
                else _row.other_states || ' cannot become ' || decide_documents.status
            end;
        else
            outcome := 'unchanged';
            explanation := 'it is ' || decide_documents.status || ' already';
        end if;
        return next;
    end loop;
end;
$func$;

comment on function corpus.decide_documents is
'Decide on the passages of up to 50 documents at once, each document for itself: one row each, changed, unchanged, refused or unknown, and why.';
