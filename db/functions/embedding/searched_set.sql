-- embedding.searched_set
-- The set a search is to use: the active one, or the one its vector was made for while that is kept whole.
--
-- A question embedded just before a switch is answered from the set it was embedded for: a vector of
-- one model never meets the vectors of another, and nobody has to embed twice.
--
-- called by  search.resolve_request
-- raises     VE004 no set is active, VE005 unknown set, VE010 the set is not searched

create or replace function embedding.searched_set(set_name text)
returns embedding.set
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(searched_set.set_name);
begin
    if not _set.active and _set.state <> 'ready' then
        raise exception 'embedding set "%" is not searched', _set.name
            using errcode = 'VE010',
                  hint = 'Embed with the model of the active set: select * from embedding.active_set();';
    end if;
    return _set;
end;
$func$;

comment on function embedding.searched_set is
'The set a search is to use: the active one, or the one its vector was made for while that is kept whole.';
