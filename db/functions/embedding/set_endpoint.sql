-- embedding.set_endpoint
-- Set the OpenAI-compatible address that embedding.embed_text asks for a set's vectors; NULL is none.
--
-- The server's own key is sent there: https, or an address of the server itself. For the owner
-- only, as admins may not send the key elsewhere.
--
-- called by  DBAs
-- writes     embedding.set, audit.event
-- raises     VE005 unknown set, VE013 an address that may not be used

create or replace function embedding.set_endpoint(name text, url text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(coalesce(set_endpoint.name, ''));
begin
    -- no user or password in it: it stands in a table that many may read
    if set_endpoint.url !~ '^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[^\s@?#]*)?$'
        and set_endpoint.url !~ '^http://(127(\.[0-9]{1,3}){3}|localhost|\[::1\])(:[0-9]{1,5})?(/[^\s@?#]*)?$'
    then
        raise exception 'the endpoint of embedding set "%" cannot be used', _set.name
            using errcode = 'VE013',
                  hint = 'Give https://host/path, or http:// with a loopback address, without user, query or fragment.';
    end if;
    update embedding.set as s set endpoint_url = set_endpoint.url where s.set_id = _set.set_id;
    perform audit.write_event('embedding_endpoint_set', _set.name);
end;
$func$;

comment on function embedding.set_endpoint is
'Set the OpenAI-compatible address that embedding.embed_text asks for a set''s vectors; NULL is none.';
