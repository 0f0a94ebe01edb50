-- intake.refuse_page
-- Say why a page will never be stored and be done with its task; false when somebody else has the task by now.
--
-- called by  ingest/intake/calls.py
-- writes     intake.page, queue.task

create or replace function intake.refuse_page(
    page_id bigint,
    task_id bigint,
    lease_token uuid,
    reason text
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if not queue.finish_task(refuse_page.task_id, refuse_page.lease_token) then
        return false;
    end if;
    update intake.page as p
    set
        outcome = 'refused',
        reason = left(refuse_page.reason, 500),
        finished_at = clock_timestamp()
    where p.page_id = refuse_page.page_id;
    return true;
end;
$func$;

comment on function intake.refuse_page is
'Say why a page will never be stored and be done with its task; false when somebody else has the task by now.';
