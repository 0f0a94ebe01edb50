-- place.authority_named
-- The live authority people call so, whatever the case and with or without the words a council adds to its name; refuse a name that means none.
--
-- called by  intake.settle_place
-- raises     PL001 unknown authority

create or replace function place.authority_named(name text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    -- what stands around a council's name, and is no part of it
    _ornament constant text :=
        '^(the )?((royal|london) )*(borough of |city of )?|'
        || '( (royal|metropolitan|london|county|city|borough|district|unitary))*'
        || '( council| authority)?$';
    _name text := terms.fold_text(authority_named.name);
    _found text[];
begin
    select array_agg(a.gss) into _found
    from place.authority as a
    where
        a.status = 'live'
        and (
            terms.fold_text(a.name) = _name
            or regexp_replace(terms.fold_text(a.name), _ornament, '', 'g')
            = nullif(regexp_replace(_name, _ornament, '', 'g'), '')
        );
    if cardinality(_found) is distinct from 1 then
        raise exception 'no single authority is called "%"', left(authority_named.name, 60)
            using errcode = 'PL001',
                  hint = 'Give its GSS code: select gss, name from place.authority order by name;';
    end if;
    return _found[1];
end;
$func$;

comment on function place.authority_named is
'The live authority people call so, whatever the case and with or without the words a council adds to its name; refuse a name that means none.';
