-- corpus.lay_timeline
-- Set until when each version of a document and of these titles was in force: on any day one of them is, whatever the order they came in.
--
-- In the order of their first days each is in force until the next of its document or of its
-- title begins, and the published one from its first day on. Of two of one day the later staged
-- is in force; one that begins after the published one never was.
--
-- called by  corpus.publish_version, which holds the locks of the titles
-- writes     corpus.version (valid_to)
-- locks      the rows of these versions, by version_id

create or replace function corpus.lay_timeline(document_id bigint, title_keys text[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _versions bigint[];
begin
    _versions := array(
        select v.version_id
        from corpus.version as v
        inner join corpus.document as o on v.document_id = o.document_id
        inner join corpus.document as d on o.scope_id = d.scope_id
        where
            d.document_id = lay_timeline.document_id
            and v.state in ('published', 'superseded')
            and (
                o.document_id = d.document_id
                or (
                    o.source_family = d.source_family
                    and v.title_key = any(lay_timeline.title_keys)
                )
            )
        order by v.version_id
        for no key update of v
    );
    update corpus.version as v
    set valid_to = e.valid_to
    from (
        select
            m.version_id,
            case
                when m.state <> 'published' then greatest(
                    m.valid_from,
                    least(
                        t.next_from,
                        m.withdrawn_on,
                        case when t.outlived then m.valid_from end,
                        case
                            when not t.followed and m.withdrawn_on is null
                                then coalesce(s.valid_from, m.valid_to)
                        end
                    )
                )
            end as valid_to
        from corpus.version as m
        inner join corpus.document as d on m.document_id = d.document_id
        left join corpus.version as s on m.superseded_by = s.version_id
        cross join lateral (
            select
                min(n.valid_from) filter (
                    where (n.valid_from, n.version_id) > (m.valid_from, m.version_id)
                ) as next_from,
                coalesce(bool_or(n.state = 'published'), false) as followed,
                coalesce(
                    bool_or(n.state = 'published' and n.valid_from <= m.valid_from), false
                ) as outlived
            from (
                select w.version_id, w.state, w.valid_from
                from corpus.version as w
                where w.document_id = m.document_id
                union all
                select w.version_id, w.state, w.valid_from
                from corpus.version as w
                inner join corpus.document as o on w.document_id = o.document_id
                where
                    w.title_key = m.title_key
                    and w.document_id <> m.document_id
                    and o.scope_id = d.scope_id
                    and o.source_family = d.source_family
            ) as n
            where n.version_id <> m.version_id and n.state in ('published', 'superseded')
        ) as t
        where m.version_id = any(_versions)
    ) as e
    where v.version_id = e.version_id and v.valid_to is distinct from e.valid_to;
end;
$func$;

comment on function corpus.lay_timeline is
'Set until when each version of a document and of these titles was in force: on any day one of them is, whatever the order they came in.';
