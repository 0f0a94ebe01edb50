-- eval.start_run
-- Begin a run of a set: mode vector, keyword or hybrid, with settings kb.* changed for it; eval.answer goes on.
--
-- called by  bench/calls.py, a person at psql
-- writes     eval.run
-- raises     JU001 unknown set, JU002 unknown mode, JU004 a question lacks its vector,
--            ST001 unknown setting, ST002 a value that cannot be used

create or replace function eval.start_run(
    set_name text,
    mode text default 'hybrid',
    settings jsonb default '{}'
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set eval.question_set := eval.named_set(start_run.set_name);
    _run_id bigint;
begin
    if coalesce(start_run.mode, '') not in ('vector', 'keyword', 'hybrid') then
        raise exception 'there is no mode "%"', left(start_run.mode, 60)
            using errcode = 'JU002', hint = 'Give vector, keyword or hybrid.';
    end if;
    -- only to have each refused now, not at the first question
    perform eval.use_settings(eval.use_settings(start_run.settings));
    if start_run.mode <> 'keyword' then
        perform eval.require_vectors(_set);
    end if;
    insert into eval.run (set_name, set_digest, mode, settings)
    values (_set.name, _set.digest, start_run.mode, start_run.settings)
    returning run_id into _run_id;
    return _run_id;
end;
$func$;

comment on function eval.start_run is
'Begin a run of a set: mode vector, keyword or hybrid, with settings kb.* changed for it; eval.answer goes on.';
