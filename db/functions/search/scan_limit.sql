-- search.scan_limit
-- So many chunks together are scanned; with more, a vector index is read: kb.exact_limit, and four times that where they are scanned by their bits.
--
-- At 1536 dimensions a bit vector takes about a fourth of the time of a vector.
--
-- called by  search.vector_leg
-- raises     ST002 unusable setting

create or replace function search.scan_limit(by_bits boolean)
returns bigint
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select config.value('kb.exact_limit')::bigint * case when scan_limit.by_bits then 4 else 1 end;
$func$;

comment on function search.scan_limit is
'So many chunks together are scanned; with more, a vector index is read: kb.exact_limit, and four times that where they are scanned by their bits.';
