-- search.list_postings
-- Make the posting lists of a scope anew; returns how many lists it has. A search reads the old ones until this commits.
--
-- Only of words that eight chunks of the scope or more hold: the others are quicker read from
-- the index. The chunks are numbered by id, 16,000 to a block, and a list is a sparse vector over
-- a block, so that pgvector can add lists up (search.add_postings). The idf is that of now, and
-- kept: where it has moved since, the list is weighed by the difference. A chunk published
-- meanwhile stays in search.recent_text. Reads every text of the scope: some 5,000 chunks a second
-- on a busy machine.
--
-- called by  dba.upkeep_plan (as a statement), search.refresh_postings
-- writes     search.listed_scope, search.listed_block, search.posting_list, search.recent_text
-- locks      advisory: one builder for a scope at a time, a second returns 0 at once
-- raises     ST002 unusable setting

create or replace function search.list_postings(scope_id bigint)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _bm25 search.bm25 := search.bm25_settings();
    _k1 double precision := _bm25.k1;
    _b double precision := _bm25.b;
    _mean_length double precision := _bm25.mean_length;
    _lists integer;
begin
    if not pg_try_advisory_xact_lock(
        hashtextextended('search.list_postings', list_postings.scope_id)
    ) then
        return 0;
    end if;
    -- first: what is deleted here has been in the text index since before it is read below;
    -- what another transaction is just taking away is left to it
    with listed_text as (
        select r.chunk_id
        from search.recent_text as r
        where r.scope_id = list_postings.scope_id
        for update skip locked
    )

    delete from search.recent_text as r
    using listed_text as t
    where r.scope_id = list_postings.scope_id and r.chunk_id = t.chunk_id;
    -- and with the blocks their lists
    delete from search.listed_block as k where k.scope_id = list_postings.scope_id;
    insert into search.listed_scope as l (scope_id, chunks, mean_length, k1, b)
    select list_postings.scope_id, count(*), _mean_length, _k1, _b
    from search.text_index as t
    where t.scope_id = list_postings.scope_id
    on conflict on constraint listed_scope_pk do update
    set
        chunks = excluded.chunks,
        mean_length = excluded.mean_length,
        k1 = excluded.k1,
        b = excluded.b,
        listed_at = now();
    insert into search.listed_block (scope_id, block, chunk_ids)
    select list_postings.scope_id, c.number / 16000, array_agg(c.chunk_id order by c.chunk_id)
    from (
        select t.chunk_id, row_number() over (order by t.chunk_id) - 1 as number
        from search.text_index as t
        where t.scope_id = list_postings.scope_id
    ) as c
    group by c.number / 16000;
    insert into search.posting_list (lexeme, scope_id, block, idf, scores)
    select
        w.lexeme,
        list_postings.scope_id,
        w.block,
        n.idf,
        format('{%s}/%s', v.entries, w.size)::public.sparsevec
    from (
        select
            p.lexeme,
            p.block,
            p.size,
            array_agg(p.place order by p.place) as places,
            array_agg(p.impact order by p.place) as impacts,
            sum(count(*)) over (partition by p.lexeme) as chunks
        from (
            select
                u.lexeme collate "C" as lexeme,
                k.block,
                k.size,
                k.place,
                search.bm25_impact(
                    coalesce(cardinality(u.positions), 1), t.token_count, _mean_length, _k1, _b
                ) as impact
            from search.text_index as t
            inner join (
                select b.block, b.size, c.chunk_id, c.place
                from (
                    select l.block, l.chunk_ids, cardinality(l.chunk_ids) as size
                    from search.listed_block as l
                    where l.scope_id = list_postings.scope_id
                    -- counted for the block, not for each posting
                    offset 0
                ) as b
                cross join lateral unnest(b.chunk_ids) with ordinality as c (chunk_id, place)
            ) as k on t.chunk_id = k.chunk_id
            cross join lateral unnest(t.lexemes) as u
            where t.scope_id = list_postings.scope_id
        ) as p
        group by p.lexeme, p.block, p.size
    ) as w
    cross join lateral (
        -- statistics that are wrong must not make a list empty (search.check_statistics)
        select search.idf(_bm25.chunks, greatest(0, coalesce(sum(c.chunks), 0))) as idf
        from (
            select s.chunks from search.lexeme_stat as s where s.lexeme = w.lexeme
            union all
            select d.chunks from search.lexeme_delta as d where d.lexeme = w.lexeme
        ) as c
    ) as n
    cross join lateral (
        select string_agg(e.place || ':' || (e.impact * n.idf)::real, ',' order by e.place) as entries
        from unnest(w.places, w.impacts) as e (place, impact)
    ) as v
    where w.chunks >= 8;
    get diagnostics _lists = row_count;
    return _lists;
end;
$func$;

comment on function search.list_postings is
'Make the posting lists of a scope anew; returns how many lists it has. A search reads the old ones until this commits.';
