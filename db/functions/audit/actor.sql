-- audit.actor
-- Who acts: the person a client named for this transaction (set local audit.actor = 'Kim'), else the login.
--
-- called by  audit.write_event, corpus.chunk_fact__check_transition, intake.receive_upload,
--            intake.create_batch, validation.start_run
-- raises     nothing

create or replace function audit.actor()
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(nullif(current_setting('audit.actor', true), ''), session_user);
$func$;

comment on function audit.actor is
'Who acts: the person a client named for this transaction (set local audit.actor = ''Kim''), else the login.';
