-- dba.prewarm
-- Bring what a search reads into memory, the most needed first; returns what was read, how and in how many milliseconds.
--
-- With the extension pg_prewarm each relation is loaded into shared_buffers while there is room,
-- the rest into the system's cache. Without it tables are scanned and vector indexes searched;
-- other indexes then stay cold, and the result says so. Writes nothing: for a standby, too.
--
-- called by  admins, after a restart or a rebuild
-- raises     VE004 no embedding set is active, ST002 unusable setting

create or replace function dba.prewarm()
returns table (relation text, size text, bytes bigint, method text, ms double precision)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _active embedding.set := embedding.active_set();
    _set integer := _active.set_id;
    -- scanned only where the index holds bits, too
    _bits text := case _active.index_kind when 'binary' then 'embedding.bit_vector' end;
    _extension text := (
        select quote_ident(n.nspname)
        from pg_extension as e inner join pg_namespace as n on n.oid = e.extnamespace
        where e.extname = 'pg_prewarm'
    );
    _room bigint := pg_size_bytes(current_setting('shared_buffers')) * 9 / 10;
    _statuses text[] := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
    _found search.vector_found;
    _scopes search.visible_scope[];
    _one record;
    _started timestamptz;
    _method text;
begin
    for _one in
        select
            format('%I.%I', n.nspname, c.relname) as name,
            c.oid,
            pg_relation_size(c.oid) as bytes,
            coalesce(a.amname, 'heap') as kind
        from (
            -- a search reads the indexes of both legs at random, then facts, then texts
            values
                (1, 'embedding.vector_' || _set, 'hnsw'), (2, 'search.posting_list', null),
                (3, 'search.listed_block', null), (4, _bits, null),
                (5, 'search.text_index', null), (6, 'corpus.chunk_fact', null),
                (7, 'search.lexeme_stat', null), (8, 'search.scope_stat', null),
                (9, 'embedding.vector_' || _set, 'other'), (10, 'corpus.chunk', null),
                (11, 'corpus.version', null), (12, 'corpus.document', null)
        ) as w (place, table_name, which)
        cross join lateral (
            select to_regclass(w.table_name) as oid
            union all
            select i.indexrelid from pg_index as i where i.indrelid = to_regclass(w.table_name)
        ) as r
        inner join pg_class as c on c.oid = r.oid
        inner join pg_namespace as n on n.oid = c.relnamespace
        inner join pg_am as a on a.oid = c.relam
        where w.which is null or (w.which = 'hnsw') = (a.amname = 'hnsw')
        order by w.place, c.relkind = 'i' desc, c.relname
    loop
        _started := clock_timestamp();
        if _extension is not null then
            _method := case when _one.bytes <= _room then 'buffer' else 'read' end;
            execute format('select %s.pg_prewarm($1, $2)', _extension)
            using _one.oid::regclass, _method;
            if _method = 'buffer' then
                _room := _room - _one.bytes;
            end if;
        elsif _one.kind = 'heap' then
            _method := 'scan';
            execute format('select count(*) from %s', _one.name);
        elsif _one.kind = 'hnsw' then
            _method := 'searches';
            _scopes := coalesce(
                _scopes, array(select s from search.visible_scopes(everywhere => true) as s)
            );
            for _found in
                select f.*
                from dba.sample_questions(50) as q
                cross join lateral search.vector_leg(
                    query => q.query, set_id => _set, scopes => _scopes, statuses => _statuses
                ) as f
            loop
                null;
            end loop;
        else
            _method := 'left out: create extension pg_prewarm';
        end if;
        return query select
            _one.name, pg_size_pretty(_one.bytes), _one.bytes, _method,
            round((1000 * extract(epoch from clock_timestamp() - _started))::numeric, 1)
            ::double precision;
    end loop;
end;
$func$;

comment on function dba.prewarm is
'Bring what a search reads into memory, the most needed first; returns what was read, how and in how many milliseconds.';
