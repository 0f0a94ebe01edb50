-- config.check_value
-- Refuse a value that a setting cannot have, saying what it can.
--
-- called by  config.value, config.install_setting, config.unusable_settings, eval.use_settings
-- raises     ST001 unknown setting, ST002 value out of its range

create or replace function config.check_value(name text, value text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _setting config.setting;
    _number numeric;
    _legal text;
    _ok boolean := true;
begin
    select s.* into _setting from config.setting as s where s.name = check_value.name;
    if not found then
        raise exception 'there is no setting %', check_value.name
            using errcode = 'ST001', hint = 'See: select * from config.settings;';
    end if;
    if check_value.value is null then
        return;
    end if;
    case _setting.kind
        when 'number', 'integer' then
            _legal := format(
                '%s from %s to %s',
                case _setting.kind when 'integer' then 'an integer' else 'a number' end,
                _setting.minimum, _setting.maximum
            );
            _ok := check_value.value ~ case
                when _setting.kind = 'integer' then '^[+-]?[0-9]{1,18}$'
                else '^[+-]?([0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18})$'
            end;
            if _ok then
                _number := check_value.value::numeric;
                _ok := _number >= coalesce(_setting.minimum, _number)
                    and _number <= coalesce(_setting.maximum, _number);
            end if;
        when 'boolean' then
            _legal := 'on or off';
            _ok := lower(check_value.value)
                in ('on', 'off', 'true', 'false', 'yes', 'no', '1', '0');
        when 'list' then
            _legal := 'a comma-separated list of ' || array_to_string(_setting.choices, ', ');
            _ok := regexp_split_to_array(check_value.value, '\s*,\s*') <@ _setting.choices;
        else
            _legal := coalesce('one of ' || array_to_string(_setting.choices, ', '), 'a word');
            _ok := check_value.value = any(_setting.choices)
                or (_setting.choices is null and check_value.value ~ '\S');
    end case;
    if _setting.name = 'kb.text_config' then
        _legal := 'a text search configuration: select cfgname from pg_ts_config';
        _ok := exists (
            select
            from pg_ts_config as c
            inner join pg_namespace as n on c.cfgnamespace = n.oid
            where
                lower(check_value.value) = n.nspname || '.' || c.cfgname
                or (n.nspname = 'pg_catalog' and lower(check_value.value) = c.cfgname)
        );
    end if;
    if not _ok then
        raise exception '% cannot be "%"', _setting.name, left(check_value.value, 60)
            using errcode = 'ST002',
                  detail = _setting.meaning,
                  hint = format('Give %s.', _legal);
    end if;
end;
$func$;

comment on function config.check_value is
'Refuse a value that a setting cannot have, saying what it can.';
