-- chat.purge
-- Remove the oldest conversations whose time is over, one batch; returns how many went.
--
-- Their time is older_than, else kb.conversation_days, after the last question. Turns that still
-- run after an hour, because their server died, become interrupted. Called again and again it
-- catches up with any backlog; two at once take different rows.
--
-- definer because  nobody may remove turns but of a conversation of theirs
-- called by  ingest/upkeep/calls.py (worker upkeep)
-- writes     chat.conversation, chat.turn, chat.source, chat.trace
-- locks      the rows of the batch
-- raises     TK004 a batch without rows, ST002 unusable setting

create or replace function chat.purge(
    older_than interval default null,
    batch_size integer default 1000
)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _age interval := coalesce(
        purge.older_than, make_interval(days => config.value('kb.conversation_days')::integer)
    );
    _gone integer;
begin
    if coalesce(purge.batch_size, 0) < 1 then
        raise exception 'batch_size % is out of range', purge.batch_size
            using errcode = 'TK004', hint = 'Give at least 1.';
    end if;
    update chat.turn as t
    set state = 'interrupted', finished_at = now()
    where t.turn_id in (
        select o.turn_id
        from chat.turn as o
        where o.state = 'running' and o.asked_at < now() - interval '1 hour'
        order by o.asked_at
        limit purge.batch_size
        for update skip locked
    );
    delete from chat.conversation as c
    where c.conversation_id in (
        select o.conversation_id
        from chat.conversation as o
        where o.last_turn_at < now() - _age
        order by o.last_turn_at
        limit purge.batch_size
        for update skip locked
    );
    get diagnostics _gone = row_count;
    return _gone;
end;
$func$;

comment on function chat.purge is
'Remove the oldest conversations whose time is over, one batch; returns how many went.';
