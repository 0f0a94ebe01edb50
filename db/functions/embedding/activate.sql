-- embedding.activate
-- Make searches use this set from the next statement on; refused while published chunks lack its vectors or it lacks an index.
--
-- The set that was active stays ready: it is kept up, searches on their way may still name it, and
-- the same statement goes back to it.
--
-- called by  DBAs, ingest/embedding/calls.py
-- writes     embedding.set, audit.event
-- locks      advisory: against publishers and a second switch
-- raises     VE005 unknown set, VE006 the set is not filled, VE009 it lacks an index, ST002
--            unusable setting

create or replace function embedding.activate(set_name text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set;
    _missing bigint;
    _index text;
begin
    -- a publisher that saw the old set must be seen by the count below
    perform pg_advisory_xact_lock(hashtextextended('embedding.activate', 4));
    _set := embedding.named_set(activate.set_name);
    if _set.active then
        return;
    end if;
    select count(*) into _missing
    from search.text_index as t
    where not exists (
        select
        from embedding.vector as v
        where v.set_id = _set.set_id and v.chunk_id = t.chunk_id
    );
    if _missing > 0 then
        raise exception 'embedding set "%" lacks the vectors of % chunks', _set.name, _missing
            using errcode = 'VE006',
                  hint = 'Fill it first: pgkb reembed --set ' || quote_literal(_set.name) || '.';
    end if;
    select m.index_name into _index from embedding.missing_indexes(_set.set_id) as m limit 1;
    if found then
        raise exception 'embedding set "%" lacks the index %', _set.name, _index
            using errcode = 'VE009',
                  hint = 'Build it: select statement from embedding.missing_indexes('
                      || _set.set_id || ');';
    end if;
    update embedding.set as s set active = false, replaced_at = clock_timestamp() where s.active;
    update embedding.set as s set active = true, state = 'ready' where s.set_id = _set.set_id;
    perform audit.write_event('embedding_set_activated', _set.name);
end;
$func$;

comment on function embedding.activate is
'Make searches use this set from the next statement on; refused while published chunks lack its vectors or it lacks an index.';
