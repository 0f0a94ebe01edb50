-- chat.own_conversation
-- The conversation, if it is this person's; without a person, if it is nobody's.
--
-- One that does not exist and one of somebody else are refused in the same words.
--
-- called by  chat.context_of, chat.start_turn, chat.read_conversation, chat.delete_conversation
-- raises     TK001 no such conversation of theirs

create or replace function chat.own_conversation(conversation_id uuid, person_id uuid)
returns chat.conversation
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _conversation chat.conversation;
begin
    select c.* into _conversation
    from chat.conversation as c
    where
        c.conversation_id = own_conversation.conversation_id
        and c.person_id is not distinct from own_conversation.person_id;
    if not found then
        raise exception 'there is no such conversation'
            using errcode = 'TK001', hint = 'Leave conversation_id out to start a new one.';
    end if;
    return _conversation;
end;
$func$;

comment on function chat.own_conversation is
'The conversation, if it is this person''s; without a person, if it is nobody''s.';
