-- config.value
-- The value of a setting in force for this session, checked; NULL when the embedding set decides.
--
-- called by  every function that reads a setting; cast the result
-- raises     ST001 unknown setting, ST002 value out of its range

create or replace function config.value(name text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _setting config.setting;
    _value text;
begin
    select s.* into _setting from config.setting as s where s.name = value.name;
    if not found then
        raise exception 'there is no setting %', value.name
            using errcode = 'ST001', hint = 'See: select * from config.settings;';
    end if;
    _value := coalesce(
        nullif(current_setting(_setting.name, true), ''),
        _setting.installed_value,
        _setting.default_value
    );
    if _value is distinct from _setting.default_value then
        perform config.check_value(_setting.name, _value);
    end if;
    return _value;
end;
$func$;

comment on function config.value is
'The value of a setting in force for this session, checked; NULL when the embedding set decides.';
