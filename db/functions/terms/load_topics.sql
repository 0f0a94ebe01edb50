-- terms.load_topics
-- Replace the topics of a pack; returns how many there are.
--
-- called by  ingest/calls.py
-- writes     terms.pack, terms.topic
-- raises     TE001 unusable pattern

create or replace function terms.load_topics(pack text, rows jsonb)
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
    perform terms.open_pack(load_topics.pack);
    delete from terms.topic as t where t.pack = load_topics.pack;
    for _row in
        select *
        from jsonb_to_recordset(load_topics.rows) as r (
            slug text, name text, pattern text, citation text, fact text
        )
    loop
        perform terms.check_pattern(_row.pattern, _row.slug);
        insert into terms.topic (pack, slug, name, pattern, citation, fact)
        values (
            load_topics.pack, _row.slug, coalesce(_row.name, _row.slug), _row.pattern,
            coalesce(_row.citation, ''), coalesce(_row.fact, '')
        );
        _count := _count + 1;
    end loop;
    return _count;
end;
$func$;

comment on function terms.load_topics is
'Replace the topics of a pack; returns how many there are.';
