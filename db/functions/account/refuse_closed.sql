-- account.refuse_closed
-- Refuse where people do not make accounts of their own.
--
-- called by  account.start_registration, account.register
-- raises     PE004 people do not make accounts here, ST002 unusable setting

create or replace function account.refuse_closed()
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if not config.value('kb.self_registration')::boolean then
        raise exception 'accounts are made by whoever runs this service'
            using errcode = 'PE004', hint = 'Ask them for one.';
    end if;
end;
$func$;

comment on function account.refuse_closed is
'Refuse where people do not make accounts of their own.';
