-- account.child_facts
-- The facts of a child as they are kept: trimmed, the postcode folded, the school known.
--
-- Neither name nor postcode is repeated in an error.
--
-- called by  account.add_child, account.change_child
-- raises     PE008 a name that is too long, or no postcode; PL002 unknown school

create or replace function account.child_facts(name text, school_urn text, postcode text)
returns account.child
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _name text := nullif(btrim(child_facts.name), '');
    _urn text := nullif(btrim(child_facts.school_urn), '');
    _postcode text := place.fold_postcode(nullif(btrim(child_facts.postcode), ''));
begin
    if length(_name) > 100 then
        raise exception 'the name is too long'
            using errcode = 'PE008', hint = 'Use at most 100 characters; a pseudonym will do.';
    end if;
    if _postcode is null and child_facts.postcode ~ '\S' then
        raise exception 'this is not a postcode'
            using errcode = 'PE008', hint = 'Write it as B1 1AA, or only its first half.';
    end if;
    perform place.check_school(_urn);
    return jsonb_populate_record(
        null::account.child,
        jsonb_build_object('name', _name, 'school_urn', _urn, 'postcode', _postcode)
    );
end;
$func$;

comment on function account.child_facts is
'The facts of a child as they are kept: trimmed, the postcode folded, the school known.';
