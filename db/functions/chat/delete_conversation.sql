-- chat.delete_conversation
-- Remove a person's conversation with everything that was said in it.
--
-- definer because  nobody may remove turns but of a conversation of theirs
-- called by  app/chat/calls.py
-- writes     chat.conversation, chat.turn, chat.source, chat.trace
-- raises     TK001 no such conversation of theirs

create or replace function chat.delete_conversation(conversation_id uuid, person_id uuid)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform chat.own_conversation(
        delete_conversation.conversation_id, delete_conversation.person_id
    );
    delete from chat.conversation as c
    where c.conversation_id = delete_conversation.conversation_id;
end;
$func$;

comment on function chat.delete_conversation is
'Remove a person''s conversation with everything that was said in it.';
