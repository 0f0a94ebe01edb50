-- terms.load_synonyms
-- Replace the synonyms of a pack; returns how many there are.
--
-- called by  ingest/packs/calls.py
-- writes     terms.pack, terms.synonym
-- raises     TE001 unusable pattern, TE002 a row without phrases or expansions, TE004 rows that
--            cannot be loaded

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
    perform terms.check_rows(load_synonyms.pack, load_synonyms.rows);
    perform terms.open_pack(load_synonyms.pack);
    delete from terms.synonym as s where s.pack = load_synonyms.pack;
    for _row in
        select *
        from jsonb_to_recordset(load_synonyms.rows) as r (
            pattern text, "unless" text, phrases text, expansions jsonb, citation text,
            caution text
        )
    loop
        perform terms.check_pattern(_row.pattern, _row.phrases);
        if nullif(_row."unless", '') is not null then
            perform terms.check_pattern(_row."unless", _row.phrases);
        end if;
        if coalesce(_row.phrases, '') = '' or coalesce((
            -- nothing, no list, an empty one, or something in it that is no term
            select bool_or(jsonb_typeof(e.value) <> 'string' or e.value #>> '{}' !~ '\S')
            from jsonb_array_elements(
                case jsonb_typeof(_row.expansions) when 'array' then _row.expansions end
            ) as e
        ), true) then
            raise exception 'a synonym has no phrases or no expansions: "%"',
                coalesce(_row.phrases, _row.pattern)
                using errcode = 'TE002',
                      hint = 'Give both columns; expansions are a list of terms.';
        end if;
        insert into terms.synonym (pack, pattern, unless, phrases, expansions, citation, caution)
        values (
            load_synonyms.pack, _row.pattern, nullif(_row."unless", ''), _row.phrases,
            array(select e.value from jsonb_array_elements_text(_row.expansions) as e),
            coalesce(_row.citation, ''), coalesce(_row.caution, '')
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
