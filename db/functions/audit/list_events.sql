-- audit.list_events
-- The events of the audit log, newest first, a page at a time; the next page begins before the last one's id.
--
-- called by  app/admin/operations/calls.py
-- raises     nothing; a page holds at most 500

create or replace function audit.list_events(
    kind text default null,
    subject text default null,
    actor text default null,
    before bigint default null,
    page_size integer default 50
)
returns setof audit.event
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select e.*
    from audit.event as e
    where
        (list_events.kind is null or e.kind = list_events.kind)
        and (list_events.subject is null or e.subject = list_events.subject)
        and (list_events.actor is null or e.actor = list_events.actor)
        and (list_events.before is null or e.event_id < list_events.before)
    order by e.event_id desc
    limit least(500, greatest(1, list_events.page_size));
$func$;

comment on function audit.list_events is
'The events of the audit log, newest first, a page at a time; the next page begins before the last one''s id.';
