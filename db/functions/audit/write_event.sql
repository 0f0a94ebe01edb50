-- audit.write_event
-- Note who did what to what; never the text of a question.
--
-- called by  functions that decide something
-- writes     audit.event

create or replace function audit.write_event(
    kind text,
    subject text,
    detail jsonb default '{}',
    actor text default null
)
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into audit.event (kind, subject, detail, actor)
    values (
        write_event.kind,
        write_event.subject,
        coalesce(write_event.detail, '{}'),
        coalesce(write_event.actor, session_user)
    )
    returning event_id;
$func$;

comment on function audit.write_event is
'Note who did what to what; never the text of a question.';
