-- place.authority_of_postcode
-- The education authority that answers for a postcode; refuse one that does not tell.
--
-- The postcode is somebody's home: no message repeats it.
--
-- called by  search.scope_of, a person at psql
-- raises     PL005 a postcode that tells no authority

create or replace function place.authority_of_postcode(postcode text)
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
    select f.la_code, f.problem into _found
    from place.find_postcode(authority_of_postcode.postcode) as f;
    if _found.problem is not null then
        raise exception 'the postcode %', case _found.problem
            when 'malformed' then 'is not one'
            when 'several' then 'is a part that lies in several authorities'
            when 'ended' then 'has ended'
            else 'is not known'
        end
            using errcode = 'PL005',
                  hint = 'Give a full postcode that is in use, or name the authority instead.';
    end if;
    return _found.la_code;
end;
$func$;

comment on function place.authority_of_postcode is
'The education authority that answers for a postcode; refuse one that does not tell.';
