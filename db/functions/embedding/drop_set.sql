-- embedding.drop_set
-- Remove an embedding set with all its vectors; the active one is refused.
--
-- definer because  only the owner of embedding.vector can take a partition away
-- called by  DBAs, ingest/embedding/calls.py
-- writes     embedding.set and all that belongs to the set, audit.event
-- locks      access exclusive on embedding.vector for a moment, waited for a second at most
-- raises     VE005 unknown set, VE012 the set is active, 55P03 the lock could not be had

create or replace function embedding.drop_set(name text)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s'
as $func$
declare
    _set embedding.set;
begin
    -- no switch to it meanwhile
    perform pg_advisory_xact_lock(hashtextextended('embedding.activate', 4));
    _set := embedding.named_set(coalesce(drop_set.name, ''));
    if _set.active then
        raise exception 'embedding set "%" is the active one', _set.name
            using errcode = 'VE012', hint = 'Switch to another set first: embedding.activate.';
    end if;
    delete from embedding.cold_vector as k where k.set_id = _set.set_id;
    -- dropping a table fires no trigger
    delete from embedding.bit_vector as b where b.set_id = _set.set_id;
    delete from embedding.set as s where s.set_id = _set.set_id;
    perform audit.write_event('embedding_set_dropped', _set.name);
    -- last, as searches wait while it is held
    execute format('drop table embedding.vector_%s', _set.set_id);
end;
$func$;

comment on function embedding.drop_set is
'Remove an embedding set with all its vectors; the active one is refused.';
