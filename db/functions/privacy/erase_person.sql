-- privacy.erase_person
-- Forget a person: account, children, sessions, conversations, private documents and cached questions go; events, decisions, uploads and runs stay without the name.
--
-- Whoever is just signing in or asking as this person waits, and is then refused. What an answer
-- that was being written put into the cache after that goes with the next privacy.purge.
--
-- definer because  nobody may change the audit but so
-- called by  app/access/calls.py
-- writes     account.*, chat.*, corpus.*, intake.*, embedding.query_cache, audit.event,
--            validation.run, crawl.job
-- locks      the person, and the admins when one goes; passages they decided on, uploads and runs of theirs
-- raises     PE005 the last admin, PE006 no such person

create or replace function privacy.erase_person(person_id uuid, actor text default null)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _principal text := 'person:' || erase_person.person_id;
    _removed jsonb;
begin
    perform account.keep_an_admin(erase_person.person_id);
    perform from account.person as p
    where p.person_id = erase_person.person_id
    for update;
    if not found then
        raise exception 'there is no such person'
            using errcode = 'PE006', hint = 'Look at the list of people: the account may be gone.';
    end if;
    _removed := jsonb_build_object(
        'batches', intake.remove_owned(_principal),
        'conversations', (
            select count(*) from chat.conversation as c
            where c.person_id = erase_person.person_id
        ),
        'documents', corpus.remove_owned(_principal),
        'cached_questions', embedding.forget_viewer(_principal)
    );
    -- conversations, children and sessions go with it
    delete from account.person as p where p.person_id = erase_person.person_id;
    perform audit.forget_person(erase_person.person_id);
    -- what was decided holds and what was asked for goes on, by nobody
    update corpus.chunk_fact as f
    set reviewed_by = 'person who left'
    where f.reviewed_by = _principal;
    update intake.batch as b
    set handed_in_by = 'person who left'
    where b.handed_in_by = _principal;
    update intake.upload as u
    set handed_in_by = 'person who left'
    where u.handed_in_by = _principal;
    update validation.run as r
    set requested_by = 'person who left'
    where r.requested_by = _principal;
    update crawl.job as j
    set requested_by = 'person who left'
    where j.requested_by = _principal;
    -- by the person, nobody's name; else by whoever did it
    perform audit.write_event(
        'person_erased', 'person who left', _removed,
        case
            when erase_person.actor = _principal then 'person who left'
            else erase_person.actor
        end
    );
end;
$func$;

comment on function privacy.erase_person is
'Forget a person: account, children, sessions, conversations, private documents and cached questions go; events, decisions, uploads and runs stay without the name.';
