-- crawl.load_policy_pages
-- Replace the kinds of policies a pack looks for on the sites of schools; returns how many there are.
--
-- called by  ingest/crawl/sites/calls.py
-- writes     terms.pack, crawl.policy_page
-- raises     TE004 rows that cannot be loaded

create or replace function crawl.load_policy_pages(pack text, rows jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    perform terms.check_rows(load_policy_pages.pack, load_policy_pages.rows);
    if exists (
        select from jsonb_to_recordset(load_policy_pages.rows) as r (slug text, phrases text[])
        where coalesce(r.slug, '') !~ '\S' or coalesce(cardinality(r.phrases), 0) = 0
    ) then
        raise exception 'a kind of policy of pack "%" has no slug or no phrase',
            left(load_policy_pages.pack, 60)
            using errcode = 'TE004', hint = 'Give each row a slug and at least one phrase.';
    end if;
    perform terms.open_pack(load_policy_pages.pack);
    delete from crawl.policy_page as p where p.pack = load_policy_pages.pack;
    insert into crawl.policy_page (pack, slug, name, phrases, unless)
    select
        load_policy_pages.pack, r.slug, coalesce(r.name, r.slug), r.phrases,
        coalesce(r.unless, '{}')
    from jsonb_to_recordset(load_policy_pages.rows) as r (
        slug text, name text, phrases text[], unless text[]
    );
    return jsonb_array_length(load_policy_pages.rows);
end;
$func$;

comment on function crawl.load_policy_pages is
'Replace the kinds of policies a pack looks for on the sites of schools; returns how many there are.';
