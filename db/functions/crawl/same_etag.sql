-- crawl.same_etag
-- Whether two ETags name the same content: weak or not, and whatever a proxy that packs pages has put behind.
--
-- called by  crawl.note_answer, crawl.record_failed
-- raises     nothing

create or replace function crawl.same_etag(one text, other text)
returns boolean
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select coalesce(nullif(o.tag, '') = t.tag, false)
    from
        regexp_replace(btrim(same_etag.one), '^[Ww]/', '') as one,
        regexp_replace(btrim(same_etag.other), '^[Ww]/', '') as other,
        -- the suffix stands inside the quotes or after them
        regexp_replace(
            btrim(regexp_replace(one, '[-;:/]{1,2}(gzip|br|zstd|deflate|df)$', ''), '"'),
            '[-;:/]{1,2}(gzip|br|zstd|deflate|df)$', ''
        ) as o (tag),
        regexp_replace(
            btrim(regexp_replace(other, '[-;:/]{1,2}(gzip|br|zstd|deflate|df)$', ''), '"'),
            '[-;:/]{1,2}(gzip|br|zstd|deflate|df)$', ''
        ) as t (tag);
$func$;

comment on function crawl.same_etag is
'Whether two ETags name the same content: weak or not, and whatever a proxy that packs pages has put behind.';
