-- intake.batch_status
-- How far a batch is: counts, and for every address its state and the reason of a failure.
--
-- Whoever knows the key may ask: it is a random uuid that only its maker was told.
--
-- definer because  the app may ask for a batch, but read neither queue nor documents
-- called by  ingest/intake/calls.py
-- raises     IN001 no such batch

create or replace function intake.batch_status(batch_id uuid)
returns table (
    created_at timestamptz,
    done boolean,
    total integer,
    waiting integer,
    stored integer,
    unchanged integer,
    duplicate integer,
    refused integer,
    failed integer,
    urls jsonb
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    select b.created_at into created_at
    from intake.batch as b
    where b.batch_id = batch_status.batch_id;
    if not found then
        raise exception 'there is no batch %', batch_status.batch_id
            using errcode = 'IN001',
                  hint = 'Check its key. A batch is kept for 24 hours after it is done.';
    end if;
    select
        count(*),
        count(*) filter (where s.state in ('waiting', 'fetching', 'retrying', 'publishing')),
        count(*) filter (where s.state = 'stored'),
        count(*) filter (where s.state = 'unchanged'),
        count(*) filter (where s.state = 'duplicate'),
        count(*) filter (where s.state = 'refused'),
        count(*) filter (where s.state = 'failed'),
        jsonb_agg(
            jsonb_strip_nulls(jsonb_build_object(
                'url', s.url,
                'state', s.state,
                'reason', s.reason,
                'final_url', s.final_url,
                'title', s.title,
                'document_id', s.document_id,
                'existing', s.existing_source,
                'attempts', nullif(s.attempts, 0),
                'next_try', s.next_try
            ))
            order by s.place
        )
    into total, waiting, stored, unchanged, duplicate, refused, failed, urls
    from intake.page_states(batch_status.batch_id) as s;
    done := waiting = 0;
    return next;
end;
$func$;

comment on function intake.batch_status is
'How far a batch is: counts, and for every address its state and the reason of a failure.';
