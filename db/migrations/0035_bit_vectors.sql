-- 0035_bit_vectors
-- why   a scope of wide vectors is scanned by one bit for each dimension in a fourth of the time, and
--       each text is in one vector index, the national or the local one (docs/decisions/0031)
-- lock  share row exclusive on embedding.vector while its rows are read once, some 100,000 a second:
--       searches go on, publishers wait
-- undo  drop trigger vector__keep_bits on embedding.vector; drop table embedding.bit_vector; the
--       indexes of 0015 and the view of 0016
set local lock_timeout = '5s';
set local statement_timeout = '30min';

create table embedding.bit_vector (
    chunk_id bigint not null,
    scope_id bigint not null,
    set_id integer not null,
    bits bit varying not null,
    constraint bit_vector_pk primary key (set_id, chunk_id)
);
comment on table embedding.bit_vector is
'The sign of each dimension of every row of embedding.vector, which a trigger keeps: scanned in a fraction of the time of the vectors.';
comment on column embedding.bit_vector.chunk_id is 'The chunk.';
comment on column embedding.bit_vector.scope_id is 'Its scope.';
comment on column embedding.bit_vector.set_id is 'The embedding set.';
comment on column embedding.bit_vector.bits is '1 where the vector is positive, as public.binary_quantize says.';

-- no vector comes or goes between the copy and the trigger, which the deploy makes afterwards
lock table embedding.vector in share row exclusive mode;
insert into embedding.bit_vector (chunk_id, scope_id, set_id, bits)
select
    v.chunk_id,
    v.scope_id,
    v.set_id,
    public.binary_quantize(v.embedding) as bits
from embedding.vector as v
order by v.set_id, v.scope_id, v.chunk_id;

-- squawk-ignore require-concurrent-index-creation
create index bit_vector_scope_idx on embedding.bit_vector (set_id, scope_id);

-- where there is no text yet the indexes change at once, else upkeep builds the new before it
-- drops the old
do $$
declare
    _set embedding.set;
    -- first, and then closed: no index is made on a table that a query still reads
    _empty embedding.set[] := array(
        select s from embedding.set as s
        where not exists (select from embedding.vector as v where v.set_id = s.set_id)
    );
begin
    foreach _set in array _empty loop
        execute format('drop index if exists embedding.vector_%s_hnsw_idx', _set.set_id);
        execute format(
            'create index vector_%1$s_local_idx on embedding.vector_%1$s using hnsw (%2$s) '
            'with (m = %3$s, ef_construction = %4$s) where scope_id <> 1',
            _set.set_id,
            format(
                case _set.index_kind
                    when 'binary'
                        then '(public.binary_quantize(embedding)::bit(%1$s)) public.bit_hamming_ops'
                    else '(embedding::public.halfvec(%1$s)) public.halfvec_cosine_ops'
                end,
                _set.width
            ),
            _set.index_m,
            _set.index_ef_construction
        );
    end loop;
end;
$$;

-- a partial index holds the text of its scopes; what the server counts in it is of the last vacuum
create or replace view dba.vector_index as
select
    h.index_oid,
    h.index_name,
    h.table_oid,
    h.table_name,
    h.active,
    h.m,
    h.ef_construction,
    h.partial,
    h.live_rows,
    h.bytes,
    -- as pgvector lays it out: a row's element and its neighbours on one page, both aligned
    8192 * (1 + ceil(h.live_rows / greatest(1, floor(
        8160.0 / (8 * ceil((72 + h.value_bytes) / 8.0) + 8 * ceil((4 + 12 * h.m) / 8.0) + 8)
    ))))::bigint as fresh_bytes,
    -- measured with pgvector 0.8.5: the vector, 16 bytes for each neighbour, and 200
    (h.live_rows * (h.value_bytes + 32 * h.m + 200))::bigint as graph_bytes,
    h.deleted_since_build,
    -- of a partial index nobody counts what was deleted: its table stands for it
    h.deleted_since_build::double precision / greatest(h.table_rows, 1) as churn
from (
    select
        i.indexrelid as index_oid,
        format('%I.%I', n.nspname, c.relname) as index_name,
        t.table_oid,
        t.table_name,
        coalesce((
            select o.option_value::integer
            from pg_options_to_table(c.reloptions) as o
            where o.option_name = 'm'
        ), 16) as m,
        coalesce((
            select o.option_value::integer
            from pg_options_to_table(c.reloptions) as o
            where o.option_name = 'ef_construction'
        ), 64) as ef_construction,
        i.indpred is not null as partial,
        case
            when pg_get_expr(i.indpred, i.indrelid) ~ '^\(scope_id (=|<>) [0-9]+\)$' then (
                select least(t.live_rows, coalesce(sum(z.chunks), 0))::bigint
                from search.scope_size as z
                where
                    z.scope_id > 0
                    and pg_get_expr(i.indpred, i.indrelid) in (
                        format('(scope_id = %s)', z.scope_id),
                        case when z.scope_id <> 1 then '(scope_id <> 1)' end
                    )
            )
            when i.indpred is not null and c.reltuples >= 0 then c.reltuples::bigint
            else t.live_rows
        end as live_rows,
        t.live_rows as table_rows,
        pg_relation_size(i.indexrelid) as bytes,
        8 + case y.typname
            when 'halfvec' then 2 * k.atttypmod
            when 'bit' then ceil(k.atttypmod / 8.0)
            else 4 * k.atttypmod
        end as value_bytes,
        coalesce(
            t.table_name = (
                select 'embedding.vector_' || s.set_id
                from embedding.set as s
                where s.active
            ), false
        ) as active,
        -- a count that went back was reset: all that is counted came after the build
        t.deleted_rows - case
            when b.file_node = pg_relation_filenode(i.indexrelid)
                and b.deletes_before <= t.deleted_rows then b.deletes_before
            else 0
        end as deleted_since_build
    from pg_index as i
    inner join pg_class as c on i.indexrelid = c.oid
    inner join pg_namespace as n on c.relnamespace = n.oid
    inner join pg_am as a on c.relam = a.oid and a.amname = 'hnsw'
    inner join dba.our_table as t on i.indrelid = t.table_oid
    inner join pg_attribute as k on c.oid = k.attrelid and k.attnum = 1
    inner join pg_type as y on k.atttypid = y.oid
    left join dba.index_build as b on b.index_name = format('%I.%I', n.nspname, c.relname)
    where c.relkind = 'i'
) as h;

update config.setting
set meaning = 'Scopes that hold at most this many chunks together are scanned exactly, four times as many by '
    || 'their bits where the index holds bits; larger ones use the index.'
where name = 'kb.exact_limit';
update config.setting
set meaning = 'How many postings of the index the keyword leg may read, rarest words first; posting lists are '
    || 'read whole.'
where name = 'kb.keyword_budget';

comment on column search.scope_plan.plan is
'exact, bits, index, bits or index topped up (an exact scan followed), or none.';
comment on column search.finding.plan is
'How the vector leg read the scopes: exact, bits, index, one of these topped up, or several of them.';

-- an index is all of its files, those that map its free pages as well
create or replace view dba.storage as
with sized_table as (
    select
        t.table_name,
        t.live_rows,
        t.table_oid,
        pg_relation_size(t.table_oid) as heap_bytes,
        pg_table_size(t.table_oid) - pg_relation_size(t.table_oid) as toast_bytes,
        pg_indexes_size(t.table_oid) as index_bytes,
        pg_total_relation_size(t.table_oid) as bytes
    from dba.our_table as t
    where not t.partitioned
),

corpus_size as (
    select
        greatest(1, coalesce((
            select z.chunks
            from search.scope_size as z
            where z.scope_id = 0
        ), 0)) as chunks,
        coalesce(sum(s.bytes), 0)::bigint as bytes
    from sized_table as s
),

part as (
    select
        1 as place,
        'total' as part,
        current_database()::text as name,
        c.chunks as live_rows,
        c.bytes
    from corpus_size as c
    union all
    select
        2 as place,
        'embedding set' as part,
        e.name,
        s.live_rows,
        s.bytes
    from embedding.set as e
    inner join sized_table as s on s.table_name = 'embedding.vector_' || e.set_id
    union all
    -- an estimate: a kind's share of the chunks
    select
        3 as place,
        'scope kind' as part,
        k.kind as name,
        sum(z.chunks)::bigint as live_rows,
        (c.bytes * sum(z.chunks) / c.chunks)::bigint as bytes
    from search.scope_size as z
    inner join corpus.scope as k on z.scope_id = k.scope_id
    cross join corpus_size as c
    group by k.kind, c.bytes, c.chunks
    union all
    select
        w.place,
        w.part,
        s.table_name as name,
        s.live_rows,
        w.bytes
    from sized_table as s
    cross join lateral (
        values (4, 'table', s.heap_bytes), (5, 'toast', s.toast_bytes)
    ) as w (place, part, bytes)
    union all
    select
        6 as place,
        'index' as part,
        format('%I.%I', n.nspname, x.relname) as name,
        greatest(x.reltuples, 0)::bigint as live_rows,
        pg_total_relation_size(x.oid) as bytes
    from sized_table as s
    inner join pg_index as i on s.table_oid = i.indrelid
    inner join pg_class as x on i.indexrelid = x.oid
    inner join pg_namespace as n on x.relnamespace = n.oid
)

select
    p.part,
    p.name,
    p.live_rows,
    p.bytes,
    pg_size_pretty(p.bytes) as size,
    round(p.bytes::numeric / c.chunks, 1) as bytes_per_chunk
from part as p
cross join corpus_size as c
where p.bytes > 0
order by p.place asc, p.bytes desc, p.name asc;
