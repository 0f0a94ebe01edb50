-- public.resolve_la
-- Whose rules hold for somebody: the school of the conversation's child, the user's own school, the first child's, a postcode, in this order; or a chosen authority.
--
-- Everything but la is what a profile happens to hold: a step that cannot be used is passed over
-- and named in notes ('child_urn: unknown'), never refused; no note repeats a postcode. la is an
-- explicit choice: it wins over every step, must be known, and what the steps found stays only
-- when it belongs to that authority. The home authority is that of the child's home, when it
-- differs from the school's. One row, always; source is chosen, child_school, user_school,
-- first_child_school, postcode or none.
-- Writes nothing: runs in a read-only transaction and on a standby.
--
-- definer because  a reader may resolve but not read the tables
-- called by  every client
-- raises     PL001 unknown authority, PL003 the authority was split: both only for la

create or replace function public.resolve_la(
    la text default null,
    child_urn text default null,
    child_postcode text default null,
    user_urn text default null,
    first_child_urn text default null,
    first_child_postcode text default null,
    postcode text default null
)
returns table (
    la_code text,
    local_authority text,
    school_urn text,
    home_la_code text,
    home_la_name text,
    source text,
    notes text[]
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _step record;
    _school record;
    _place record;
    _chosen text;
    -- the child asked about: of the conversation, else the first
    _home text := nullif(btrim(resolve_la.child_postcode), '');
    _home_of text := 'child_postcode';
begin
    source := 'none';
    notes := '{}';

    for _step in
        select s.source, s.argument, s.urn
        from (values
            (1, 'child_school', 'child_urn', resolve_la.child_urn),
            (2, 'user_school', 'user_urn', resolve_la.user_urn),
            (3, 'first_child_school', 'first_child_urn', resolve_la.first_child_urn)
        ) as s (place, source, argument, urn)
        order by s.place
    loop
        select f.* into _school from place.find_school(_step.urn) as f;
        if _school.problem is not null then
            notes := notes || (_step.argument || ': ' || _school.problem);
        elsif _school.school_urn is not null then
            if _school.school_urn <> btrim(_step.urn) then
                notes := notes
                    || (_step.argument || ': closed, followed by ' || _school.school_urn);
            end if;
            source := _step.source;
            school_urn := _school.school_urn;
            la_code := _school.la_code;
            exit;
        end if;
    end loop;

    if source = 'none' then
        for _step in
            select s.argument, s.postcode
            from (values
                (1, 'child_postcode', resolve_la.child_postcode),
                (2, 'first_child_postcode', resolve_la.first_child_postcode),
                (3, 'postcode', resolve_la.postcode)
            ) as s (place, argument, postcode)
            order by s.place
        loop
            select f.* into _place from place.find_postcode(_step.postcode) as f;
            if _place.problem is not null then
                notes := notes || (_step.argument || ': ' || _place.problem);
            elsif _place.la_code is not null then
                source := 'postcode';
                la_code := _place.la_code;
                exit;
            end if;
        end loop;
    else
        if _home is null and source = 'first_child_school' then
            _home := nullif(btrim(resolve_la.first_child_postcode), '');
            _home_of := 'first_child_postcode';
        end if;
        select f.* into _place from place.find_postcode(_home) as f;
        if _place.problem is not null then
            notes := notes || (_home_of || ': ' || _place.problem);
        else
            home_la_code := nullif(_place.la_code, la_code);
        end if;
    end if;

    if resolve_la.la ~ '\S' then
        _chosen := place.resolve_authority(
            resolve_la.la,
            coalesce(_home, nullif(btrim(resolve_la.first_child_postcode), ''), resolve_la.postcode)
        );
        if _chosen is distinct from la_code then
            if source <> 'none' then
                notes := notes || ('la: chosen, not that of ' || source);
            end if;
            la_code := _chosen;
            school_urn := null;
            home_la_code := null;
        end if;
        source := 'chosen';
    end if;

    local_authority := (select a.name from place.authority as a where a.gss = la_code);
    home_la_name := (select a.name from place.authority as a where a.gss = home_la_code);
    return next;
end;
$func$;

comment on function public.resolve_la is
'Whose rules hold for somebody: the school of the conversation''s child, the user''s own school, the first child''s, a postcode, in this order; or a chosen authority.';
