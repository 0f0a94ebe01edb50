-- eval.use_settings
-- Set settings kb.* for the rest of the calling function, each checked first.
--
-- The caller carries a SET clause, so that PostgreSQL undoes it when the caller returns; this one
-- must not, or it would be undone at once.
--
-- called by  eval.start_run, eval.answer, eval.fill_pool
-- raises     ST001 unknown setting, ST002 a value that cannot be used

create or replace function eval.use_settings(settings jsonb)
returns void
language sql
volatile
parallel unsafe
security invoker
as $func$
    select config.check_value(t.key, t.value)
    from pg_catalog.jsonb_each_text(use_settings.settings) as t;
    select pg_catalog.set_config(t.key, t.value, true)
    from pg_catalog.jsonb_each_text(use_settings.settings) as t;
    select;
$func$;

comment on function eval.use_settings is
'Set settings kb.* for the rest of the calling function, each checked first.';
