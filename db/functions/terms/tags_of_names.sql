-- terms.tags_of_names
-- The topic each name (of a folder) means, by slug or by name; NULL for a name that is no topic.
--
-- Case, accents of typing and punctuation do not matter, nor does a number people sort folders by.
--
-- called by  ingest/archive/calls.py
-- raises     nothing

create or replace function terms.tags_of_names(names text[])
returns table (name text, slug text)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select g.name, t.slug
    from (
        select distinct
            u.name,
            regexp_replace(
                btrim(regexp_replace(terms.fold_text(u.name), '[^[:alnum:]]+', '-', 'g'), '-'),
                '^[0-9]+-', ''
            ) as key
        from unnest(tags_of_names.names) as u (name)
        where u.name is not null
    ) as g
    left join lateral (
        select p.slug
        from terms.topic as p
        where
            g.key <> ''
            and g.key in (
                p.slug,
                btrim(regexp_replace(terms.fold_text(p.name), '[^[:alnum:]]+', '-', 'g'), '-')
            )
        order by p.slug = g.key desc, p.slug
        limit 1
    ) as t on true
    order by g.name;
$func$;

comment on function terms.tags_of_names is
'The topic each name (of a folder) means, by slug or by name; NULL for a name that is no topic.';
