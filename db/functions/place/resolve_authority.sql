-- place.resolve_authority
-- The live education authority of a GSS code (old or new), a district code or a three-digit DfE code; refuse a code that has none.
--
-- Where the authority was split, a postcode inside it decides which of its successors is meant.
--
-- called by  place.authority_family, place.load_districts, place.load_schools, corpus.scope_for,
--            search.scope_of, public.resolve_la, corpus.stage_document, intake.settle_place,
--            crawl.set_site, crawl.site_for, crawl.start
-- raises     PL001 unknown authority, PL003 the authority was split

create or replace function place.resolve_authority(code text, postcode text default null)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _found record;
begin
    if resolve_authority.code is null then
        return null;
    end if;
    select f.la_code, f.named, f.successors into _found
    from place.find_authority(resolve_authority.code, resolve_authority.postcode) as f;
    if _found.named is null then
        raise exception 'authority "%" is not known', left(resolve_authority.code, 40)
            using errcode = 'PL001',
                  detail = 'An authority is named by its nine-character GSS code, e.g. E08000025.',
                  hint = 'Look it up: select gss, name from place.authority order by name;';
    elsif _found.la_code is null then
        raise exception 'authority % was split', _found.named
            using errcode = 'PL003',
                  detail = format('It became %s.', array_to_string(_found.successors, ' and ')),
                  hint = 'Name the one that answers for the place today.';
    end if;
    return _found.la_code;
end;
$func$;

comment on function place.resolve_authority is
'The live education authority of a GSS code (old or new), a district code or a three-digit DfE code; refuse a code that has none.';
