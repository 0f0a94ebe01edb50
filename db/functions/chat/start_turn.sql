-- chat.start_turn
-- Note a question before it is answered, in a new conversation or one that goes on; the keys of both.
--
-- The place is that of chat.context_of.
--
-- definer because  nobody may write turns but into a conversation of theirs
-- called by  app/chat/calls.py
-- writes     chat.conversation, chat.turn
-- locks      the person, against being forgotten meanwhile; the row of a conversation that goes on
-- raises     TK001 no such conversation of theirs, TK002 a question that cannot be kept,
--            PE006 no such person, PE007 no such child of that person

create or replace function chat.start_turn(
    question text,
    conversation_id uuid default null,
    person_id uuid default null,
    child_id uuid default null,
    la_code text default null,
    home_la_code text default null,
    school_urn text default null,
    place_from text default 'none'
)
returns table (conversation uuid, turn bigint)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    if coalesce(start_turn.question, '') !~ '\S' or length(start_turn.question) > 4000 then
        raise exception 'a question that is blank or too long'
            using errcode = 'TK002', hint = 'Ask in 1 to 4000 characters.';
    end if;
    -- a token outlives its account by minutes
    if start_turn.person_id is not null then
        perform account.refuse_unknown(start_turn.person_id);
    end if;
    if start_turn.child_id is not null then
        perform account.refuse_foreign(start_turn.person_id, start_turn.child_id);
    end if;
    if start_turn.conversation_id is null then
        insert into chat.conversation as c (person_id, child_id)
        values (start_turn.person_id, start_turn.child_id)
        returning c.conversation_id into conversation;
    else
        perform chat.own_conversation(start_turn.conversation_id, start_turn.person_id);
        update chat.conversation as c
        set
            last_turn_at = now(),
            child_id = coalesce(start_turn.child_id, c.child_id)
        where c.conversation_id = start_turn.conversation_id
        returning c.conversation_id into conversation;
        if conversation is null then
            -- deleted in between
            perform chat.own_conversation(start_turn.conversation_id, start_turn.person_id);
        end if;
    end if;
    insert into chat.turn as t (
        conversation_id, question, la_code, home_la_code, school_urn, place_from
    )
    values (
        conversation, start_turn.question, start_turn.la_code, start_turn.home_la_code,
        start_turn.school_urn, start_turn.place_from
    )
    returning t.turn_id into turn;
    return next;
end;
$func$;

comment on function chat.start_turn is
'Note a question before it is answered, in a new conversation or one that goes on; the keys of both.';
