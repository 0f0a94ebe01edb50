-- corpus.load_ranks
-- Set how much each kind of publisher weighs; returns how many there are.
--
-- called by  ingest/packs/calls.py
-- writes     terms.pack, corpus.authority_rank
-- raises     KB008 a weight that is not mild, or two of one kind, TE004 rows that cannot be loaded

create or replace function corpus.load_ranks(pack text, rows jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _bad text;
begin
    perform terms.check_rows(load_ranks.pack, load_ranks.rows);
    select r.authority into _bad
    from jsonb_to_recordset(load_ranks.rows) as r (authority text, weight text)
    where
        coalesce(r.authority, '') !~ '\S'
        or case
            when r.weight ~ '^[0-9](\.[0-9]{1,20})?$' then r.weight::numeric not between 0.5 and 2
            else true
        end
    limit 1;
    if found then
        raise exception 'the weight of "%" is not usable', left(coalesce(_bad, ''), 60)
            using errcode = 'KB008', hint = 'Give each kind of publisher a weight from 0.5 to 2.';
    end if;
    select r.authority into _bad
    from jsonb_to_recordset(load_ranks.rows) as r (authority text)
    group by r.authority
    having count(*) > 1
    limit 1;
    if found then
        raise exception 'the weight of "%" stands in two rows', left(_bad, 60)
            using errcode = 'KB008', hint = 'Give each kind of publisher one weight.';
    end if;
    perform terms.open_pack(load_ranks.pack);
    insert into corpus.authority_rank (authority, pack, weight, meaning)
    select r.authority, load_ranks.pack, r.weight, coalesce(r.meaning, '')
    from jsonb_to_recordset(load_ranks.rows) as r (
        authority text, weight double precision, meaning text
    )
    on conflict (authority) do update set
        pack = excluded.pack, weight = excluded.weight, meaning = excluded.meaning;
    return jsonb_array_length(load_ranks.rows);
end;
$func$;

comment on function corpus.load_ranks is
'Set how much each kind of publisher weighs; returns how many there are.';
