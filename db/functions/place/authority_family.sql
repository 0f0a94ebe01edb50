-- place.authority_family
-- Every code under which documents of this authority may stand: its own and those it took over from.
--
-- called by  search.visible_scopes, corpus.list_documents, validation.family_of, crawl.start
-- raises     PL001 unknown authority, PL003 the authority was split

create or replace function place.authority_family(code text)
returns text[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with recursive family_code as (
        select place.resolve_authority(authority_family.code) as gss
        union
        select s.gss
        from place.authority_successor as s
        inner join family_code as f on s.successor_gss = f.gss
    )

    select coalesce(array_agg(f.gss order by f.gss), '{}')
    from family_code as f
    where f.gss is not null;
$func$;

comment on function place.authority_family is
'Every code under which documents of this authority may stand: its own and those it took over from.';
