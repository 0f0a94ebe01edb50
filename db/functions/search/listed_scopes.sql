-- search.listed_scopes
-- Those of some scopes whose posting lists are to be read: listed, and not more than kb.list_recent chunks came since.
--
-- called by  search.keyword_leg
-- raises     ST002 unusable setting

create or replace function search.listed_scopes(scope_ids bigint[])
returns bigint[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(array_agg(l.scope_id), '{}')
    from search.listed_scope as l
    cross join (
        select config.value('kb.list_recent')::bigint as list_recent
        offset 0
    ) as s
    where
        l.scope_id = any(listed_scopes.scope_ids)
        and (
            select count(*)
            from (
                select
                from search.recent_text as r
                where r.scope_id = l.scope_id
                limit s.list_recent + 1
            ) as came
        ) <= s.list_recent;
$func$;

comment on function search.listed_scopes is
'Those of some scopes whose posting lists are to be read: listed, and not more than kb.list_recent chunks came since.';
