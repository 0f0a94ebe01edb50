-- terms.check_rows
-- Refuse what is no named pack with a list of objects, one for each row.
--
-- called by  terms.load_topics, terms.load_synonyms, corpus.load_ranks, corpus.load_domains,
--            crawl.load_policy_pages
-- raises     TE004 rows that cannot be loaded

create or replace function terms.check_rows(pack text, rows jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if coalesce(check_rows.pack, '') !~ '\S' then
        raise exception 'the pack has no name'
            using errcode = 'TE004', hint = 'Name the pack that the rows belong to.';
    end if;
    if jsonb_typeof(check_rows.rows) is distinct from 'array' or exists (
        select
        from jsonb_array_elements(
            case jsonb_typeof(check_rows.rows) when 'array' then check_rows.rows end
        ) as r
        where jsonb_typeof(r.value) <> 'object'
    ) then
        raise exception 'the rows of pack "%" are not a list of objects', left(check_rows.pack, 60)
            using errcode = 'TE004', hint = 'Give a JSON array with one object for each row.';
    end if;
end;
$func$;

comment on function terms.check_rows is
'Refuse what is no named pack with a list of objects, one for each row.';
