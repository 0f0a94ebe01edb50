-- validation.list_verdicts
-- The verdicts of a run, the least sure first, a page at a time; the next page begins after the last one's confidence and document.
--
-- called by  app/admin/validation/calls.py
-- raises     SE001 page size out of range, VA002 no such run

create or replace function validation.list_verdicts(
    run_id bigint,
    only_verdict text default null,
    after_confidence double precision default null,
    after_document bigint default null,
    page_size integer default 50
)
returns table (
    document_id bigint,
    title text,
    source text,
    verdict text,
    confidence double precision,
    parts jsonb,
    changed integer,
    reason text,
    judged_at timestamptz
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    if coalesce(list_verdicts.page_size, 0) not between 1 and 500 then
        raise exception 'a page of % verdicts is out of range', list_verdicts.page_size
            using errcode = 'SE001', hint = 'Ask for 1 to 500.';
    end if;
    if not exists (
        select from validation.run as r where r.run_id = list_verdicts.run_id
    ) then
        raise exception 'there is no validation run %', list_verdicts.run_id
            using errcode = 'VA002', hint = 'See: select * from validation.run;';
    end if;
    return query
    select
        v.document_id, r.title, d.source, v.verdict, v.confidence, v.parts, v.changed, v.reason,
        v.judged_at
    from validation.verdict as v
    inner join corpus.document as d on v.document_id = d.document_id
    left join corpus.version as r on v.version_id = r.version_id
    where
        v.run_id = list_verdicts.run_id
        and (list_verdicts.only_verdict is null or v.verdict = list_verdicts.only_verdict)
        -- what was left has no confidence and comes last
        and (
            list_verdicts.after_document is null
            or (coalesce(v.confidence, 2), v.document_id)
            > (coalesce(list_verdicts.after_confidence, 2), list_verdicts.after_document)
        )
    order by coalesce(v.confidence, 2), v.document_id
    limit list_verdicts.page_size;
end;
$func$;

comment on function validation.list_verdicts is
'The verdicts of a run, the least sure first, a page at a time; the next page begins after the last one''s confidence and document.';
