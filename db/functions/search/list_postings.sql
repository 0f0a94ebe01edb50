-- search.list_postings
-- Make the posting lists of a scope anew; returns how many lists it has. A search reads the old ones until this commits.
--
-- Only of words that eight chunks of the scope or more hold: the others are quicker read from
-- the index. A chunk published meanwhile stays in search.recent_text. Reads every text of the
-- scope: some 6,000 chunks a second on a busy machine.
--
-- called by  dba.upkeep_plan (as a statement), search.refresh_postings
-- writes     search.posting_list, search.listed_scope, search.recent_text
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
    delete from search.posting_list as p where p.scope_id = list_postings.scope_id;
    insert into search.posting_list (lexeme, scope_id, chunk_ids, impacts)
    select
        p.lexeme,
        list_postings.scope_id,
        array_agg(p.chunk_id order by p.impact desc, p.chunk_id),
        array_agg(p.impact order by p.impact desc, p.chunk_id)
    from (
        select
            u.lexeme collate "C" as lexeme,
            t.chunk_id,
            search.bm25_impact(
                coalesce(cardinality(u.positions), 1), t.token_count, _mean_length, _k1, _b
            )::real as impact
        from search.text_index as t
        cross join lateral unnest(t.lexemes) as u
        where t.scope_id = list_postings.scope_id
    ) as p
    group by p.lexeme
    having count(*) >= 8;
    get diagnostics _lists = row_count;
    insert into search.listed_scope as l (scope_id, chunks)
    select list_postings.scope_id, count(*)
    from search.text_index as t
    where t.scope_id = list_postings.scope_id
    on conflict on constraint listed_scope_pk do update
    set chunks = excluded.chunks, listed_at = now();
    return _lists;
end;
$func$;

comment on function search.list_postings is
'Make the posting lists of a scope anew; returns how many lists it has. A search reads the old ones until this commits.';
