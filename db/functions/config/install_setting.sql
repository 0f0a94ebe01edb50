-- config.install_setting
-- Give a setting a value for this whole database; NULL goes back to the default.
--
-- called by  DBAs, packs
-- writes     config.setting, audit.event
-- raises     CF001 unknown setting, CF002 value out of its range

create or replace function config.install_setting(name text, value text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform config.check_value(install_setting.name, install_setting.value);
    update config.setting as s
    set installed_value = install_setting.value
    where
        s.name = install_setting.name
        and s.installed_value is distinct from install_setting.value;
    if found then
        perform audit.write_event(
            'setting_changed', install_setting.name,
            jsonb_build_object('value', install_setting.value)
        );
    end if;
end;
$func$;

comment on function config.install_setting is
'Give a setting a value for this whole database; NULL goes back to the default.';
