-- audit.write_event
-- Note who did what to what and why; never the text of a question.
--
-- Who and why are the caller's words, see audit.speak_for; the login beside them is the server's.
--
-- called by  functions that decide something, and triggers
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
        coalesce(write_event.detail, '{}') || case
            when current_setting('audit.reason', true) <> ''
                then jsonb_build_object('reason', current_setting('audit.reason', true))
            else '{}'
        end,
        coalesce(write_event.actor, audit.actor())
    )
    returning event_id;
$func$;

comment on function audit.write_event is
'Note who did what to what and why; never the text of a question.';
