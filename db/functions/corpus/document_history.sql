-- corpus.document_history
-- What became of a document, oldest first: each version when it came, and every decision on it with who, from which login, when and why.
--
-- called by  curators, ingest/documents/calls.py
-- raises     KB022 no such document

create or replace function corpus.document_history(document_id bigint)
returns table (
    at timestamptz,
    version_id bigint,
    version integer,
    what text,
    actor text,
    login text,
    reason text,
    detail jsonb
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    if not exists (
        select from corpus.document as d where d.document_id = document_history.document_id
    ) then
        raise exception 'there is no document %',
            coalesce(document_history.document_id::text, 'without an id')
            using errcode = 'KB022', hint = 'See: select * from corpus.document_overview;';
    end if;
    return query
    with own_version as (
        select v.* from corpus.version as v where v.document_id = document_history.document_id
    )

    select h.at, h.version_id, h.version, h.what, h.actor, h.login, h.detail ->> 'reason', h.detail
    from (
        select
            coalesce(v.published_at, v.staged_at) as at,
            0::bigint as event_id,
            v.version_id,
            v.version,
            case when v.published_at is null then 'staged' else 'published' end as what,
            null::text as actor,
            null::text as login,
            jsonb_build_object(
                'title', v.title,
                'state', v.state,
                'effective_date', v.effective_date,
                'in_force_from', v.valid_from,
                'in_force_to', v.valid_to,
                'superseded_by', v.superseded_by
            ) as detail
        from own_version as v
        union all
        select e.at, e.event_id, v.version_id, v.version, e.kind, e.actor, e.login, e.detail
        from own_version as v
        inner join audit.event as e on e.subject = 'version ' || v.version_id
    ) as h
    order by h.at, h.event_id;
end;
$func$;

comment on function corpus.document_history is
'What became of a document, oldest first: each version when it came, and every decision on it with who, from which login, when and why.';
