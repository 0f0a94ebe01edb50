-- embedding.previous_set
-- The set that was active before and is kept up: where embedding.activate goes back to.
--
-- called by  DBAs, ingest/embedding/calls.py
-- raises     VE014 no set to go back to

create or replace function embedding.previous_set()
returns embedding.set
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set;
begin
    select s.* into _set
    from embedding.set as s
    where not s.active and s.state = 'ready' and s.replaced_at is not null
    order by s.replaced_at desc
    limit 1;
    if not found then
        raise exception 'there is no embedding set to go back to'
            using errcode = 'VE014',
                  hint = 'A set is kept until it is stopped or dropped: select * from embedding.fill_progress;';
    end if;
    return _set;
end;
$func$;

comment on function embedding.previous_set is
'The set that was active before and is kept up: where embedding.activate goes back to.';
