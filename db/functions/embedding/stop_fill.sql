-- embedding.stop_fill
-- Stop seeing to a set's vectors: nothing is kept up any more, what is there stays; the active set is refused.
--
-- called by  DBAs, ingest/embedding/calls.py
-- writes     embedding.set, embedding.wanted_vector
-- locks      advisory: against a switch to it
-- raises     VE005 unknown set, VE012 the set is active

create or replace function embedding.stop_fill(set_name text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set;
begin
    perform pg_advisory_xact_lock(hashtextextended('embedding.activate', 4));
    _set := embedding.named_set(coalesce(stop_fill.set_name, ''));
    if _set.active then
        raise exception 'embedding set "%" is the active one', _set.name
            using errcode = 'VE012', hint = 'Switch to another set first: embedding.activate.';
    end if;
    update embedding.set as s set state = 'idle' where s.set_id = _set.set_id;
    delete from embedding.wanted_vector as w where w.set_id = _set.set_id;
end;
$func$;

comment on function embedding.stop_fill is
'Stop seeing to a set''s vectors: nothing is kept up any more, what is there stays; the active set is refused.';
