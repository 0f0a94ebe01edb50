-- search.refresh_postings
-- Make the posting lists that search.scopes_to_list names; returns for how many scopes.
--
-- called by  ingest/upkeep/calls.py (worker upkeep, end of an ingest), bench/load.py
-- writes     what search.list_postings writes
-- locks      what search.list_postings locks
-- raises     ST002 unusable setting

create or replace function search.refresh_postings()
returns integer
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select count(*) filter (where search.list_postings(u.scope_id) > 0)::integer
    from search.scopes_to_list() as u;
$func$;

comment on function search.refresh_postings is
'Make the posting lists that search.scopes_to_list names; returns for how many scopes.';
