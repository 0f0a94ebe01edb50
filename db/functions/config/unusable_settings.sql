-- config.unusable_settings
-- The settings of pgkb with a value they cannot have, where each was given and what it can be; is_ours where it holds for this login.
--
-- Also looks at what ALTER DATABASE and ALTER ROLE say, which holds for the next connection and not
-- for one that is there.
--
-- called by  dba.readiness, app/doctor/calls.py
-- raises     nothing

create or replace function config.unusable_settings()
returns table (name text, value text, given_by text, legal text, is_ours boolean)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
begin
    for name, value, given_by, is_ours in
        select distinct on (g.name, g.value) g.name, g.value, g.given_by, g.is_ours
        from (
            select
                s.name, substr(c.entry, 1 + strpos(c.entry, '=')) as value,
                concat_ws(
                    ' ',
                    'role ' || r.rolname,
                    'database ' || b.datname,
                    case when d.setrole = 0 and d.setdatabase = 0 then 'all roles' end
                ) as given_by,
                d.setrole = 0 or r.rolname = session_user as is_ours,
                1 as place
            from pg_catalog.pg_db_role_setting as d
            cross join lateral unnest(d.setconfig) as c (entry)
            inner join config.setting as s on s.name = lower(split_part(c.entry, '=', 1))
            left join pg_catalog.pg_roles as r on d.setrole = r.oid
            left join pg_catalog.pg_database as b on d.setdatabase = b.oid
            where d.setdatabase = 0 or b.datname = current_database()
            union all
            select s.name, s.installed_value, 'config.install_setting', true, 2
            from config.setting as s
            union all
            select s.name, current_setting(s.name, true), 'this session', true, 3
            from config.setting as s
        ) as g
        where g.value <> ''
        order by g.name, g.value, g.is_ours desc, g.place
    loop
        begin
            perform config.check_value(name, value);
        exception when sqlstate 'ST002' then
            get stacked diagnostics legal = pg_exception_hint;
            return next;
        end;
    end loop;
end;
$func$;

comment on function config.unusable_settings is
'The settings of pgkb with a value they cannot have, where each was given and what it can be; is_ours where it holds for this login.';
