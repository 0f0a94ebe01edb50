-- embedding.vector__keep_bits
-- Every vector has its bits in embedding.bit_vector, whoever puts it there or takes it away.
--
-- For each row: a statement that names a partition fires no trigger for statements of the table.

create or replace function embedding.vector__keep_bits()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if tg_op <> 'INSERT' then
        delete from embedding.bit_vector as b
        where b.set_id = old.set_id and b.chunk_id = old.chunk_id;
    end if;
    if tg_op <> 'DELETE' then
        insert into embedding.bit_vector (chunk_id, scope_id, set_id, bits)
        values (
            new.chunk_id, new.scope_id, new.set_id, public.binary_quantize(new.embedding)
        );
    end if;
    return null;
end;
$func$;

comment on function embedding.vector__keep_bits is
'Every vector has its bits in embedding.bit_vector, whoever puts it there or takes it away.';

create or replace trigger vector__keep_bits
after insert or update or delete on embedding.vector
for each row execute function embedding.vector__keep_bits();
