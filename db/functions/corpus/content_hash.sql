-- corpus.content_hash
-- SHA-256 over the text with white space and Unicode form normalised: the same words give the same hash.
--
-- called by  corpus.stage_document, crawl.record_page
-- raises     nothing

create or replace function corpus.content_hash(content text)
returns bytea
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select sha256(convert_to(
        btrim(regexp_replace(
            case
                when content_hash.content is nfc normalized then content_hash.content
                else normalize(content_hash.content, nfc)
            end,
            -- single spaces are passed over: most are
            '\s{2,}|[^\S ]', ' ', 'g'
        )),
        'UTF8'
    ));
$func$;

comment on function corpus.content_hash is
'SHA-256 over the text with white space and Unicode form normalised: the same words give the same hash.';
