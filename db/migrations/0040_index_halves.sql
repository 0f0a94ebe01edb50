-- 0040_index_halves
-- why   local text is indexed in two halves: VACUUM repairs both at once, and each takes half the
--       memory to build (docs/decisions/0035)
-- lock  only the indexes of sets without vectors; of the others upkeep builds the halves before it
--       drops the index over both
-- undo  drop index embedding.vector_N_local_0_idx, embedding.vector_N_local_1_idx; the index of 0035
--       and its view
set local lock_timeout = '2s';
set local statement_timeout = '5min';

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
        execute format('drop index if exists embedding.vector_%s_local_idx', _set.set_id);
        for _half in 0 .. 1 loop
            execute format(
                'create index vector_%1$s_local_%2$s_idx on embedding.vector_%1$s using hnsw (%3$s) '
                'with (m = %4$s, ef_construction = %5$s) where scope_id <> 1 and scope_id %% 2 = %2$s',
                _set.set_id,
                _half,
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
            when pg_get_expr(i.indpred, i.indrelid) like '%(scope_id %' then (
                select least(t.live_rows, coalesce(sum(z.chunks), 0))::bigint
                from search.scope_size as z
                where
                    z.scope_id > 0
                    and pg_get_expr(i.indpred, i.indrelid) in (
                        format('(scope_id = %s)', z.scope_id),
                        case when z.scope_id <> 1 then '(scope_id <> 1)' end,
                        case
                            when z.scope_id <> 1
                                then format(
                                    '((scope_id <> 1) AND ((scope_id %% (2)::bigint) = %s))',
                                    z.scope_id % 2
                                )
                        end
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
