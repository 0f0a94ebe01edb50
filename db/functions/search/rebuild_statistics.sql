-- search.rebuild_statistics
-- Put wrong statistics right; returns how many numbers were wrong. Searches see all of it or nothing.
--
-- Appends what is missing as deltas and folds. What a writer adds meanwhile changes the kept and
-- the counted number alike, so none has to wait.
--
-- called by  DBAs, after pgkb doctor found a difference
-- writes     search.lexeme_delta, search.scope_delta, search.lexeme_stat, search.scope_stat
-- locks      advisory: waits for a folder or another repair, and folders pass it by

create or replace function search.rebuild_statistics()
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _wrong integer;
begin
    perform pg_advisory_xact_lock(hashtextextended('search.fold_statistics', 0));
    with difference as materialized (
        select c.statistic, c.subject, c.counted - c.kept as missing
        from search.check_statistics() as c
    ),

    noted_lexeme as (
        insert into search.lexeme_delta (lexeme, chunks)
        select d.subject, d.missing
        from difference as d
        where d.statistic = 'lexeme chunks'
    ),

    noted_scope as (
        insert into search.scope_delta (scope_id, chunks, tokens)
        select
            d.subject::bigint,
            coalesce(sum(d.missing) filter (where d.statistic = 'scope chunks'), 0),
            coalesce(sum(d.missing) filter (where d.statistic = 'scope tokens'), 0)
        from difference as d
        where d.statistic <> 'lexeme chunks'
        group by d.subject
    )

    select count(*) into _wrong from difference;
    perform search.fold_statistics();
    return _wrong;
end;
$func$;

comment on function search.rebuild_statistics is
'Put wrong statistics right; returns how many numbers were wrong. Searches see all of it or nothing.';
