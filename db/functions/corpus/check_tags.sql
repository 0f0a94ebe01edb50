-- corpus.check_tags
-- The tags, trimmed, sorted and each once; refuse one that is not a topic.
--
-- called by  corpus.stage_document, corpus.set_tags, intake.create_batch, ingest/calls.py,
--            intake.receive_upload, crawl.set_site
-- raises     KB002 unknown tag

create or replace function corpus.check_tags(tags text[])
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _unknown text;
    _tags text[];
begin
    select coalesce(array_agg(distinct t.tag order by t.tag), '{}') into _tags
    from (select lower(btrim(u.tag)) as tag from unnest(check_tags.tags) as u (tag)) as t
    where t.tag <> '';
    select t.tag into _unknown
    from unnest(_tags) as t (tag)
    where not exists (select from terms.topic as p where p.slug = t.tag)
    limit 1;
    if found then
        raise exception 'tag "%" is not known', left(_unknown, 60)
            using errcode = 'KB002',
                  detail = 'A tag is the slug of a topic of a loaded pack.',
                  hint = 'Look it up: select slug, name from terms.topic order by slug;';
    end if;
    return _tags;
end;
$func$;

comment on function corpus.check_tags is
'The tags, trimmed, sorted and each once; refuse one that is not a topic.';
