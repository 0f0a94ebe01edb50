-- corpus.load_domains
-- Replace the national web sites of a pack; returns how many there are.
--
-- called by  ingest/packs/calls.py
-- writes     terms.pack, corpus.domain
-- raises     KB004 unknown kind of publisher, TE004 rows that cannot be loaded

create or replace function corpus.load_domains(pack text, rows jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _authority text;
begin
    perform terms.check_rows(load_domains.pack, load_domains.rows);
    if exists (
        select from jsonb_to_recordset(load_domains.rows) as r (domain text)
        where coalesce(r.domain, '') !~ '\S'
    ) then
        raise exception 'a web site of pack "%" has no name', left(load_domains.pack, 60)
            using errcode = 'TE004', hint = 'Give each row its domain.';
    end if;
    perform terms.open_pack(load_domains.pack);
    for _authority in
        select distinct r.authority
        from jsonb_to_recordset(load_domains.rows) as r (domain text, authority text)
    loop
        perform corpus.check_rank(coalesce(_authority, ''));
    end loop;
    delete from corpus.domain as d where d.pack = load_domains.pack;
    insert into corpus.domain (domain, pack, authority)
    -- with and without www it is one site: the first row counts
    select distinct on (d.domain) d.domain, load_domains.pack, d.authority
    from (
        select
            regexp_replace(lower(btrim(r.value ->> 'domain')), '^www\.', '') as domain,
            r.value ->> 'authority' as authority,
            r.n
        from jsonb_array_elements(load_domains.rows) with ordinality as r (value, n)
    ) as d
    order by d.domain, d.n
    on conflict (domain) do update set pack = excluded.pack, authority = excluded.authority;
    return jsonb_array_length(load_domains.rows);
end;
$func$;

comment on function corpus.load_domains is
'Replace the national web sites of a pack; returns how many there are.';
