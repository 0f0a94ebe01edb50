-- intake.remove_owned
-- Remove the batches of addresses whose documents are private to an owner, with their tasks; returns how many.
--
-- called by  privacy.erase_person
-- writes     intake.batch, intake.page, queue.task

create or replace function intake.remove_owned(owner text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _removed integer;
begin
    delete from queue.task as t
    using intake.page as p, intake.batch as b
    where
        b.owner = remove_owned.owner
        and p.batch_id = b.batch_id
        and t.kind = 'fetch_page'
        and t.subject_id = p.page_id;
    delete from intake.batch as b where b.owner = remove_owned.owner;
    get diagnostics _removed = row_count;
    return _removed;
end;
$func$;

comment on function intake.remove_owned is
'Remove the batches of addresses whose documents are private to an owner, with their tasks; returns how many.';
