-- chat.list_conversations
-- A person's conversations, the latest first, in pages: each with its first question and how many it has.
--
-- A page goes on after the last row of the one before: give its last_turn_at and conversation_id.
--
-- definer because  nobody may read turns but by way of whose they are
-- called by  app/chat/calls.py
-- raises     TK004 a page size out of range

create or replace function chat.list_conversations(
    person_id uuid,
    page_size integer default 20,
    before_at timestamptz default null,
    before_id uuid default null
)
returns table (
    conversation_id uuid,
    child_id uuid,
    started_at timestamptz,
    last_turn_at timestamptz,
    turns bigint,
    first_question text
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    if coalesce(list_conversations.page_size, 0) not between 1 and 100 then
        raise exception 'a page of % conversations', list_conversations.page_size
            using errcode = 'TK004', hint = 'Ask for 1 to 100.';
    end if;
    return query
    select
        c.conversation_id,
        c.child_id,
        c.started_at,
        c.last_turn_at,
        n.turns,
        f.question
    from (
        select o.*
        from chat.conversation as o
        where
            o.person_id = list_conversations.person_id
            and (
                list_conversations.before_at is null
                or o.last_turn_at < list_conversations.before_at
                or (
                    o.last_turn_at = list_conversations.before_at
                    and o.conversation_id > list_conversations.before_id
                )
            )
        order by o.last_turn_at desc, o.conversation_id
        limit list_conversations.page_size
    ) as c
    cross join lateral (
        select count(*) as turns
        from chat.turn as t
        where t.conversation_id = c.conversation_id
    ) as n
    left join lateral (
        select t.question
        from chat.turn as t
        where t.conversation_id = c.conversation_id
        order by t.turn_id
        limit 1
    ) as f on true
    order by c.last_turn_at desc, c.conversation_id;
end;
$func$;

comment on function chat.list_conversations is
'A person''s conversations, the latest first, in pages: each with its first question and how many it has.';
