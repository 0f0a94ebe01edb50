-- terms.load_topics
-- Replace the topics of a pack; returns how many there are.
--
-- called by  ingest/packs/calls.py
-- writes     terms.pack, terms.topic
-- raises     TE001 unusable pattern, TE003 unusable slug, TE004 rows that cannot be loaded

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
    _owner text;
    _count integer := 0;
begin
    perform terms.check_rows(load_topics.pack, load_topics.rows);
    perform terms.open_pack(load_topics.pack);
    delete from terms.topic as t where t.pack = load_topics.pack;
    for _row in
        select *
        from jsonb_to_recordset(load_topics.rows) as r (
            slug text, name text, pattern text, citation text, fact text
        )
    loop
        if coalesce(_row.slug, '') !~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
            raise exception 'a topic cannot have the slug "%"', left(coalesce(_row.slug, ''), 60)
                using errcode = 'TE003',
                      hint = 'Give small letters and digits, with single dashes between words.';
        end if;
        perform terms.check_pattern(_row.pattern, _row.slug);
        insert into terms.topic (pack, slug, name, pattern, citation, fact)
        values (
            load_topics.pack, _row.slug, coalesce(_row.name, _row.slug), _row.pattern,
            coalesce(_row.citation, ''), coalesce(_row.fact, '')
        )
        on conflict on constraint topic_pk do nothing;
        if not found then
            -- a tag means one thing in the whole corpus
            select t.pack into _owner from terms.topic as t where t.slug = _row.slug;
            raise exception 'the topic "%" %', left(_row.slug, 60), case
                when _owner = load_topics.pack then 'stands in two rows'
                else format('belongs to pack "%s"', left(_owner, 60))
            end
                using errcode = 'TE003', hint = 'Give every topic of all packs a slug of its own.';
        end if;
        _count := _count + 1;
    end loop;
    return _count;
end;
$func$;

comment on function terms.load_topics is
'Replace the topics of a pack; returns how many there are.';
