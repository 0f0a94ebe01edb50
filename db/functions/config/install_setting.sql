-- config.install_setting
-- Give a setting a value for this whole database; NULL goes back to the default.
--
-- called by  DBAs, packs, search.calibrate
-- writes     config.setting, audit.event
-- raises     ST001 unknown setting, ST002 value out of its range

create or replace function config.install_setting(name text, value text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _size text;
begin
    perform config.check_value(install_setting.name, install_setting.value);
    update config.setting as s
    set installed_value = install_setting.value
    where
        s.name = install_setting.name
        and s.installed_value is distinct from install_setting.value;
    if found then
        -- these three only work together: better refused now than at the next document
        select z.size into _size
        from (
            select
                max(v.value) filter (where v.name = 'kb.chunk_size') as size,
                max(v.value) filter (where v.name = 'kb.chunk_overlap') as overlap,
                max(v.value) filter (where v.name = 'kb.chunk_minimum') as minimum
            from (
                select s.name, coalesce(s.installed_value, s.default_value)::numeric as value
                from config.setting as s
                where s.name in ('kb.chunk_size', 'kb.chunk_overlap', 'kb.chunk_minimum')
            ) as v
        ) as z
        where z.overlap >= z.size or z.minimum > z.size;
        if found then
            raise exception '% cannot be "%"', install_setting.name, install_setting.value
                using errcode = 'ST002',
                      detail = format('The chunk size would be %s.', _size),
                      hint = 'kb.chunk_overlap must be less than kb.chunk_size, '
                          || 'and kb.chunk_minimum not more.';
        end if;
        perform audit.write_event(
            'setting_changed', install_setting.name,
            jsonb_build_object('value', install_setting.value)
        );
    end if;
end;
$func$;

comment on function config.install_setting is
'Give a setting a value for this whole database; NULL goes back to the default.';
