-- terms.load_synonyms
-- Replace the synonyms of a pack; returns how many there are.
--
-- called by  ingest/calls.py
-- writes     terms.pack, terms.synonym
-- raises     TE001 unusable pattern, TE002 a row without phrases or expansions

create or replace function terms.load_synonyms(pack text, rows jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _row record;
    _count integer := 0;
begin
    perform terms.open_pack(load_synonyms.pack);
    delete from terms.synonym as s where s.pack = load_synonyms.pack;
    for _row in
        select *
        from jsonb_to_recordset(load_synonyms.rows) as r (
            pattern text, "unless" text, phrases text, expansions text[], citation text,
            caution text
        )
    loop
        perform terms.check_pattern(_row.pattern, _row.phrases);
        if nullif(_row."unless", '') is not null then
            perform terms.check_pattern(_row."unless", _row.phrases);
        end if;
        if coalesce(_row.phrases, '') = '' or coalesce(cardinality(_row.expansions), 0) = 0 then
            raise exception 'a synonym has no phrases or no expansions: "%"',
                coalesce(_row.phrases, _row.pattern)
                using errcode = 'TE002', hint = 'Give both columns.';
        end if;
        insert into terms.synonym (pack, pattern, unless, phrases, expansions, citation, caution)
        values (
            load_synonyms.pack, _row.pattern, nullif(_row."unless", ''), _row.phrases,
            _row.expansions, coalesce(_row.citation, ''), coalesce(_row.caution, '')
        )
        on conflict on constraint synonym_once_per_pattern do nothing;
        if not found then
            raise exception 'the pattern of "%" stands in two rows', _row.phrases
                using errcode = 'TE001', hint = 'Put the expansions of both into one row.';
        end if;
        _count := _count + 1;
    end loop;
    return _count;
end;
$func$;

comment on function terms.load_synonyms is
'Replace the synonyms of a pack; returns how many there are.';
