-- place.resolve_authority
-- The live education authority of a GSS code (old or new), a district code or a three-digit DfE code.
--
-- called by  place.authority_family, corpus.scope_for, search.scope_of
-- raises     PL001 unknown authority, PL003 the authority was split

create or replace function place.resolve_authority(code text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _code text := upper(btrim(resolve_authority.code));
    _gss text;
    _successors text[];
begin
    if _code is null then
        return null;
    end if;
    select a.gss into _gss from place.authority as a where a.gss = _code;
    if _gss is null then
        select d.authority_gss into _gss from place.district as d where d.lad_gss = _code;
    end if;
    if _gss is null then
        select a.gss into _gss
        from place.authority as a
        where a.dfe_code = _code
        order by a.status = 'live' desc, a.start_date desc nulls last
        limit 1;
    end if;
    if _gss is null then
        raise exception 'authority "%" is not known', left(resolve_authority.code, 40)
            using errcode = 'PL001',
                  detail = 'An authority is named by its nine-character GSS code, e.g. E08000025.',
                  hint = 'Look it up: select gss, name from place.authority order by name;';
    end if;
    loop
        select array_agg(s.successor_gss order by s.successor_gss) into _successors
        from place.authority_successor as s
        where s.gss = _gss;
        exit when _successors is null;
        if cardinality(_successors) > 1 then
            raise exception 'authority % was split', _gss
                using errcode = 'PL003',
                      detail = format('It became %s.', array_to_string(_successors, ' and ')),
                      hint = 'Name the one that answers for the place today.';
        end if;
        _gss := _successors[1];
    end loop;
    return _gss;
end;
$func$;

comment on function place.resolve_authority is
'The live education authority of a GSS code (old or new), a district code or a three-digit DfE code.';
