-- 0039_derived_rows
-- why   posting lists are made anew when k1 or b of BM25 changes, a partition of embedding.vector
--       that is truncated leaves no bits, and a fill sends its vectors in binary
-- lock  access exclusive on search.listed_scope and share row exclusive on the partitions of
--       embedding.vector, for an instant: of those the readers go on
-- undo  alter table search.listed_scope drop column k1, drop column b;
--       drop function embedding.vector__clear_bits() cascade
-- definition needs embedding.vector__clear_bits, which triggers of the partitions run
set local lock_timeout = '2s';
set local statement_timeout = '60s';

-- of what is listed it is not known: NULL, and upkeep lists it anew
alter table search.listed_scope
add column k1 double precision,
add column b double precision;
comment on column search.listed_scope.k1 is
'The kb.bm25_k1 that is in the scores; NULL when it was listed before this was kept.';
comment on column search.listed_scope.b is
'The kb.bm25_b that is in the scores; NULL when it was listed before this was kept.';
comment on column search.posting_list.scores is
'For every chunk of the block that holds the word what it adds to the BM25 score, with this idf and what search.listed_scope says of the scope.';

create function embedding.vector__clear_bits()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    delete from embedding.bit_vector as b where b.set_id = tg_argv[0]::integer;
    return null;
end;
$func$;
comment on function embedding.vector__clear_bits is
'A truncated partition of embedding.vector has no bits: truncating fires no trigger for rows, and a trigger of the table does not fire for a partition.';

-- embedding.add_set gives it to the others
do $$
declare
    _set_id integer;
begin
    for _set_id in select s.set_id from embedding.set as s order by s.set_id loop
        execute format(
            'create trigger vector__clear_bits after truncate on embedding.vector_%1$s '
            'for each statement execute function embedding.vector__clear_bits(%1$s)',
            _set_id
        );
    end loop;
end;
$$;

-- it takes numbers now
-- squawk-ignore ban-drop-function
drop function if exists embedding.store_filled(text, bigint[], text[], integer);
