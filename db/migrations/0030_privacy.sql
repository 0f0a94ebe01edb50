-- 0030_privacy
-- why   who leaves takes the conversations along, also one that goes on at that moment
-- lock  share row exclusive on chat.conversation and account for a moment: no release had either
-- undo  alter table chat.conversation drop constraint conversation_person_fk;
--       alter table chat.conversation drop constraint conversation_child_fk;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table chat.conversation
-- squawk-ignore adding-foreign-key-constraint, constraint-missing-not-valid
add constraint conversation_person_fk
foreign key (person_id) references account.person (person_id) on delete cascade;
alter table chat.conversation
-- squawk-ignore adding-foreign-key-constraint, constraint-missing-not-valid
add constraint conversation_child_fk
foreign key (child_id) references account.child (child_id) on delete set null;
