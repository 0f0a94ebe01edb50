-- crawl.open_job
-- Ask for a run over a site; one that waits, runs or is paused is the answer, and no second one is made.
--
-- A run whose task was given up by the queue goes on.
--
-- called by  crawl.start, crawl.start_due
-- writes     crawl.job, queue.task

create or replace function crawl.open_job(
    site_id bigint,
    requested_by text default session_user,
    out job_id bigint,
    out is_new boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    insert into crawl.job as j (site_id, requested_by)
    values (open_job.site_id, open_job.requested_by)
    on conflict (site_id) where finished_at is null do nothing
    returning j.job_id into job_id;
    is_new := job_id is not null;
    if is_new then
        perform queue.enqueue('crawl_job', job_id);
    else
        select j.job_id into job_id
        from crawl.job as j
        where j.site_id = open_job.site_id and j.finished_at is null;
        -- one whose task was given up is taken up again
        if not exists (
            select from queue.task as t
            where t.kind = 'crawl_job' and t.subject_id = job_id and not t.dead
        ) then
            perform queue.enqueue('crawl_job', job_id);
        end if;
    end if;
end;
$func$;

comment on function crawl.open_job is
'Ask for a run over a site; one that waits, runs or is paused is the answer, and no second one is made.';
