-- terms.open_pack
-- Note that the words of a pack change: its revision grows, so cached questions are not reused.
--
-- called by  terms.load_synonyms, terms.load_topics, corpus.load_ranks, corpus.load_domains,
--            crawl.load_policy_pages
-- writes     terms.pack

create or replace function terms.open_pack(pack text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into terms.pack as p (pack) values (open_pack.pack)
    on conflict (pack) do update set revision = p.revision + 1, loaded_at = now();
$func$;

comment on function terms.open_pack is
'Note that the words of a pack change: its revision grows, so cached questions are not reused.';
