-- privacy.purge
-- Remove what is over: sessions, measures of limits, cached questions of people who left; returns how many.
--
-- definer because  the worker that tidies up reads no account
-- called by  ingest/upkeep/calls.py (worker upkeep)
-- writes     account.session, account.refresh_token, limits.bucket, embedding.query_cache

create or replace function privacy.purge()
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _purged integer := account.purge_sessions() + limits.purge();
    _orphans integer;
begin
    delete from embedding.query_cache as q
    where
        q.viewer like 'person:%'
        and not exists (
            select from account.person as p where q.viewer = 'person:' || p.person_id
        );
    get diagnostics _orphans = row_count;
    return _purged + _orphans;
end;
$func$;

comment on function privacy.purge is
'Remove what is over: sessions, measures of limits, cached questions of people who left; returns how many.';
