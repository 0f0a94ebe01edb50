-- limits.purge
-- Remove the measures that have run empty; returns how many.
--
-- called by  privacy.purge
-- writes     limits.bucket

create or replace function limits.purge()
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _purged integer;
begin
    delete from limits.bucket as b where b.empty_at <= clock_timestamp();
    get diagnostics _purged = row_count;
    return _purged;
end;
$func$;

comment on function limits.purge is
'Remove the measures that have run empty; returns how many.';
