-- search.caller_is_admin
-- Whether the role that calls, as it logged in or set itself, has the rights of pgkb_admin; also inside a definer's function.
--
-- called by  search.explain_retrieval, search.explain_absence
-- raises     nothing

create or replace function search.caller_is_admin()
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- current_user is the owner inside a definer's function; what set role said is not
    select pg_has_role(
        coalesce(nullif(current_setting('role'), 'none'), session_user), 'pgkb_admin', 'usage'
    );
$func$;

comment on function search.caller_is_admin is
'Whether the role that calls, as it logged in or set itself, has the rights of pgkb_admin; also inside a definer''s function.';
