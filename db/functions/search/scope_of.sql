-- search.scope_of
-- Who a question is asked for, with names: the authority, the home authority and the school that what the asker gave resolves to.
--
-- Without la the school's authority is meant, and without a school the postcode's. Beside either
-- the postcode is the home: its authority is the home authority when it differs. Everything here
-- was given on purpose, so what is not known is refused; public.resolve_la is for profiles.
--
-- called by  public.search_text, search.record_search, public.explain_text, public.why_not_text,
--            eval.answer, eval.fill_pool, chat.context_of, app/calls.py
-- raises     PL001 unknown authority, PL002 unknown school, PL003 the authority was split,
--            PL005 a postcode that tells no authority

create or replace function search.scope_of(
    la text default null,
    home_la text default null,
    urn text default null,
    postcode text default null
)
returns table (
    la_code text,
    la_name text,
    home_la_code text,
    home_la_name text,
    school_urn text,
    school_name text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _la text := nullif(btrim(scope_of.la), '');
    _urn text := nullif(btrim(scope_of.urn), '');
    _postcode text := nullif(btrim(scope_of.postcode), '');
    _school_la text := place.check_school(_urn);
    _postcode_la text := place.authority_of_postcode(_postcode);
begin
    if _la is not null then
        la_code := place.resolve_authority(_la, _postcode);
    elsif _urn is not null then
        -- none where the authority was split and the school's place is not known
        la_code := (
            select a.la_code
            from place.school as s
            cross join lateral place.find_authority(_school_la, s.postcode) as a
            where s.urn = _urn
        );
    else
        la_code := _postcode_la;
    end if;
    home_la_code := coalesce(
        place.resolve_authority(nullif(btrim(scope_of.home_la), ''), _postcode),
        nullif(_postcode_la, la_code)
    );
    school_urn := _urn;
    la_name := (select a.name from place.authority as a where a.gss = la_code);
    home_la_name := (select a.name from place.authority as a where a.gss = home_la_code);
    school_name := (select s.name from place.school as s where s.urn = school_urn);
    return next;
end;
$func$;

comment on function search.scope_of is
'Who a question is asked for, with names: the authority, the home authority and the school that what the asker gave resolves to.';
