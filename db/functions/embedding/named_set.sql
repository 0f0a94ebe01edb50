-- embedding.named_set
-- The embedding set of that name; NULL is the active one.
--
-- called by  embedding.*
-- raises     VE005 unknown set, VE004 no set is active

create or replace function embedding.named_set(set_name text)
returns embedding.set
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set;
begin
    if named_set.set_name is null then
        return embedding.active_set();
    end if;
    select s.* into _set from embedding.set as s where s.name = named_set.set_name;
    if not found then
        raise exception 'there is no embedding set "%"', left(named_set.set_name, 60)
            using errcode = 'VE005', hint = 'See: select name, model, width from embedding.set;';
    end if;
    return _set;
end;
$func$;

comment on function embedding.named_set is
'The embedding set of that name; NULL is the active one.';
