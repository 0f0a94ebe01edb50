-- search.fold_statistics
-- Fold the noted deltas into the statistics; returns how many were folded. Searches see the same numbers before and after.
--
-- called by  search.rebuild_statistics, ingest/upkeep/calls.py (worker upkeep, end of an ingest),
--            search.text_index__keep_statistics
-- writes     search.lexeme_stat, search.lexeme_delta, search.scope_stat, search.scope_delta
-- locks      advisory: one folder at a time, a second returns 0 at once

create or replace function search.fold_statistics()
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _lexemes integer;
    _scopes integer;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('search.fold_statistics', 0)) then
        return 0;
    end if;
    with taken_delta as (
        delete from search.lexeme_delta as d returning d.lexeme, d.chunks
    )

    insert into search.lexeme_stat as s (lexeme, chunks)
    select t.lexeme, sum(t.chunks)
    from taken_delta as t
    group by t.lexeme
    on conflict (lexeme) do update set chunks = s.chunks + excluded.chunks;
    get diagnostics _lexemes = row_count;
    delete from search.lexeme_stat as s where s.chunks = 0;

    with taken_delta as (
        delete from search.scope_delta as d returning d.scope_id, d.chunks, d.tokens
    )

    insert into search.scope_stat as s (scope_id, chunks, tokens)
    select t.scope_id, sum(t.chunks), sum(t.tokens)
    from taken_delta as t
    group by t.scope_id
    on conflict (scope_id) do update set
        chunks = s.chunks + excluded.chunks, tokens = s.tokens + excluded.tokens;
    get diagnostics _scopes = row_count;
    return _lexemes + _scopes;
end;
$func$;

comment on function search.fold_statistics is
'Fold the noted deltas into the statistics; returns how many were folded. Searches see the same numbers before and after.';
