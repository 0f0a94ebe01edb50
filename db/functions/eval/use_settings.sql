-- eval.use_settings
-- Set settings kb.* for the rest of the transaction, each checked first; returns what they were, to be given back the same way.
--
-- An empty value is none: what the settings were when nobody had set them.
--
-- called by  eval.start_run, eval.answer, eval.fill_pool
-- raises     ST001 unknown setting, ST002 a value that cannot be used

create or replace function eval.use_settings(settings jsonb)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _before jsonb := '{}';
    _setting record;
begin
    for _setting in select t.key, t.value from jsonb_each_text(use_settings.settings) as t
    loop
        perform config.check_value(_setting.key, nullif(_setting.value, ''));
        _before := _before || jsonb_build_object(
            _setting.key, coalesce(current_setting(_setting.key, true), '')
        );
        perform set_config(_setting.key, coalesce(_setting.value, ''), true);
    end loop;
    return _before;
end;
$func$;

comment on function eval.use_settings is
'Set settings kb.* for the rest of the transaction, each checked first; returns what they were, to be given back the same way.';
