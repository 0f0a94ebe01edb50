-- corpus.lay_timeline
-- Set until when each version of a document and of its titles was in force: on any day one of them is, whatever the order they came in.
--
-- In the order of their first days each is in force until the next of its document or of its
-- title begins, and the published one from its first day on. Of two of one day the later staged
-- is in force; one that begins after the published one never was. A document that stands alone
-- is in no line but its own.
--
-- called by  corpus.settle_version, corpus.supersede, corpus.undo_supersession,
--            corpus.correct_facts and corpus.release_version, which hold the locks of the titles,
--            corpus.withdraw
-- writes     corpus.version (valid_to)

create or replace function corpus.lay_timeline(document_id bigint)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with family_version as materialized (
        select v.*, case when o.stands_alone then o.document_id end as alone
        from corpus.document as d
        inner join corpus.document as o on d.scope_id = o.scope_id
        inner join corpus.version as v on o.document_id = v.document_id
        where
            d.document_id = lay_timeline.document_id
            and o.source_family = d.source_family
            and v.state in ('published', 'superseded')
            and v.title_key in (
                select t.title_key
                from corpus.version as t
                where t.document_id = lay_timeline.document_id
            )
    ),

    title_line as (
        select
            f.version_id,
            lead(f.valid_from) over (
                partition by f.title_key, f.alone order by f.valid_from, f.version_id
            ) as next_from,
            max(f.valid_from) filter (where f.state = 'published') over (
                partition by f.title_key, f.alone
            ) as live_from
        from family_version as f
    ),

    document_line as (
        select
            v.*,
            lead(v.valid_from) over (
                partition by v.document_id order by v.valid_from, v.version_id
            ) as next_from,
            max(v.valid_from) filter (where v.state = 'published') over (
                partition by v.document_id
            ) as live_from
        from corpus.version as v
        where
            v.state in ('published', 'superseded')
            and v.document_id in (
                select f.document_id
                from family_version as f
                union
                select lay_timeline.document_id
            )
    ),

    line as (
        select
            d.version_id,
            case
                when d.state <> 'published' then greatest(
                    d.valid_from,
                    least(
                        d.next_from,
                        t.next_from,
                        d.withdrawn_on,
                        case
                            when least(d.live_from, t.live_from) <= d.valid_from then d.valid_from
                        end,
                        case
                            when coalesce(d.live_from, t.live_from, d.withdrawn_on) is null
                                then coalesce(s.valid_from, d.valid_to)
                        end
                    )
                )
            end as valid_to
        from document_line as d
        left join title_line as t on d.version_id = t.version_id
        left join corpus.version as s on d.superseded_by = s.version_id
        -- a version of another title of another document is in no line that changed
        where d.document_id = lay_timeline.document_id or t.version_id is not null
    )

    update corpus.version as v
    set valid_to = l.valid_to
    from line as l
    where v.version_id = l.version_id and v.valid_to is distinct from l.valid_to;
$func$;

comment on function corpus.lay_timeline is
'Set until when each version of a document and of its titles was in force: on any day one of them is, whatever the order they came in.';
