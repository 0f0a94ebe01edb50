-- search.text_index__keep_statistics
-- Postings gained or lost are noted as deltas, one appended row per lexeme and scope and statement; chunks that came are noted as recent. No row is hot.
--
-- raises     ST002 unusable setting

create or replace function search.text_index__keep_statistics()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _sign integer := case tg_op when 'INSERT' then 1 else -1 end;
    _bound integer := config.value('kb.fold_after')::integer;
begin
    insert into search.lexeme_delta (lexeme, chunks)
    select u.lexeme, _sign * count(*)
    from changed as c
    cross join lateral unnest(c.lexemes) as u
    group by u.lexeme;

    insert into search.scope_delta (scope_id, chunks, tokens)
    select coalesce(c.scope_id, 0), _sign * count(*), _sign * sum(c.token_count)
    from changed as c
    group by grouping sets ((c.scope_id), ())
    having count(*) > 0;
    if tg_op = 'INSERT' then
        -- posting lists do not hold them yet (search.list_postings)
        insert into search.recent_text (scope_id, chunk_id)
        select c.scope_id, c.chunk_id from changed as c;
    else
        delete from search.recent_text as r
        using changed as c
        where r.scope_id = c.scope_id and r.chunk_id = c.chunk_id;
    end if;
    -- a search adds up what is not folded: where no worker folds, writers do; but what others
    -- folded since would fail a transaction that still sees the past
    if current_setting('transaction_isolation') = 'read committed' and (
        select count(*) > _bound
        from (
            select from search.scope_delta as d where d.scope_id = 0 limit _bound + 1
        ) as waiting_change
    ) then
        perform search.fold_statistics();
    end if;
    return null;
end;
$func$;

comment on function search.text_index__keep_statistics is
'Postings gained or lost are noted as deltas, one appended row per lexeme and scope and statement; chunks that came are noted as recent. No row is hot.';

create or replace trigger text_index__keep_statistics_on_insert
after insert on search.text_index
referencing new table as changed
for each statement execute function search.text_index__keep_statistics();

create or replace trigger text_index__keep_statistics_on_delete
after delete on search.text_index
referencing old table as changed
for each statement execute function search.text_index__keep_statistics();
