-- search.check_statistics
-- Compare the statistics BM25 goes by, folded or not, with a recount of the text index: one row per difference, none when exact.
--
-- All chunks of the index count whatever their status: how common a word is belongs to the
-- corpus, and a decision of a curator must not change what every other search weighs. Reads one
-- snapshot and no lock, so it is right while others write. Reads the whole index: 451,000 chunks
-- take about half a minute.
--
-- called by  app/calls.py (pgkb doctor), search.rebuild_statistics
-- raises     nothing

create or replace function search.check_statistics()
returns table (statistic text, subject text, kept bigint, counted bigint)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with kept_number as (
        select 'lexeme chunks' as statistic, s.lexeme collate "C" as subject, s.chunks as number
        from search.lexeme_stat as s
        union all
        select 'lexeme chunks', d.lexeme, d.chunks
        from search.lexeme_delta as d
        union all
        select v.statistic, z.scope_id::text, v.number
        from search.scope_size as z
        cross join lateral (
            values ('scope chunks', z.chunks), ('scope tokens', z.tokens)
        ) as v (statistic, number)
    ),

    counted_number as (
        select 'lexeme chunks' as statistic, w.word collate "C" as subject, w.ndoc::bigint as number
        -- counts in one pass what unnest would make rows of
        from ts_stat('select t.lexemes from search.text_index as t') as w
        union all
        select v.statistic, c.scope_id::text, v.number
        from (
            select
                coalesce(t.scope_id, 0) as scope_id,
                count(*) as chunks,
                sum(t.token_count) as tokens
            from search.text_index as t
            group by grouping sets ((t.scope_id), ())
            having count(*) > 0
        ) as c
        cross join lateral (
            values ('scope chunks', c.chunks), ('scope tokens', c.tokens)
        ) as v (statistic, number)
    )

    select n.statistic, n.subject, n.kept, n.counted
    from (
        select
            b.statistic,
            b.subject,
            sum(b.kept)::bigint as kept,
            sum(b.counted)::bigint as counted
        from (
            select k.statistic, k.subject, k.number as kept, 0 as counted from kept_number as k
            union all
            select c.statistic, c.subject, 0, c.number from counted_number as c
        ) as b
        group by b.statistic, b.subject
    ) as n
    where n.kept <> n.counted
    order by n.statistic, n.subject;
$func$;

comment on function search.check_statistics is
'Compare the statistics BM25 goes by, folded or not, with a recount of the text index: one row per difference, none when exact.';
