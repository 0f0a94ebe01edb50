-- place.merge_schools
-- Bring the arrived schools into place.school: add, correct, close, never delete; a row that cannot be a school is refused and told.
--
-- The authority is the one that maintains or oversees the school (the three-digit code), else that
-- of the GSS code, else the one known so far, else the postcode's. A cell left empty erases nothing.
-- A school of a country whose authorities are not known is outside.
--
-- called by  ingest/registers/calls.py, place.load_schools
-- writes     place.school, pg_temp.arriving_school
-- locks      place.school, against other writers; readers go on
-- raises     nothing of its own: problems are in the report

create or replace function place.merge_schools()
returns place.load_report
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _report place.load_report;
begin
    lock table place.school in share row exclusive mode;

    -- one spelling of everything
    update pg_temp.arriving_school as a
    set
        urn = btrim(a.urn),
        name = btrim(regexp_replace(a.name, '\s+', ' ', 'g')),
        dfe_code = nullif(btrim(a.dfe_code), ''),
        gss = nullif(btrim(a.gss), ''),
        phase = nullif(nullif(btrim(a.phase), ''), 'Not applicable'),
        postcode = case
            when place.fold_postcode(a.postcode) like '% ___' then place.fold_postcode(a.postcode)
        end,
        -- the register names many a page without http://; what is no address at all is left out
        website = case
            when a.website ~* '^\s*https?://[^\s/]+\.\S+\s*$' then btrim(a.website)
            when a.website ~ '^\s*[[:alnum:]][[:alnum:]-]*(\.[[:alnum:]-]+)+(/\S*)?\s*$'
                then 'http://' || btrim(a.website)
        end,
        -- 1 open, 2 closed, 3 open but to close, 4 to open; without a status the day tells
        status = case
            when a.status ~* '^\s*(2|closed)\s*$' then 'closed'
            when a.status ~ '\S' then 'open'
            when a.closed <= current_date then 'closed'
        end;

    with listed_code as (
        select distinct c.code
        from pg_temp.arriving_school as a
        cross join lateral (values (a.dfe_code), (a.gss)) as c (code)
        where c.code is not null
    ),

    known_code as (
        select l.code, f.la_code
        from listed_code as l
        cross join lateral place.find_authority(l.code) as f
        where f.la_code is not null
    )

    update pg_temp.arriving_school as a
    set la_code = coalesce(
        (select k.la_code from known_code as k where k.code = a.dfe_code),
        (select k.la_code from known_code as k where k.code = a.gss),
        (
            select f.la_code
            from place.school as s
            cross join lateral place.find_authority(s.la_code, s.postcode) as f
            where s.urn = a.urn
        ),
        (select f.la_code from place.find_postcode(a.postcode) as f)
    );

    update pg_temp.arriving_school as a
    set
        outcome = case
            when r.reason is null then 'unchanged'
            when r.is_abroad then 'outside'
            else 'refused'
        end,
        reason = r.reason
    from (
        select
            b.line,
            b.la_code is null
            and b.gss ~ '^[A-Z][0-9]{8}$'
            and left(b.gss, 1) not in (select left(k.gss, 1) from place.authority as k) as is_abroad,
            case
                when coalesce(b.urn, '') !~ '^[0-9]{6}$'
                    then format('URN "%s" is not six digits', left(coalesce(b.urn, ''), 20))
                when coalesce(b.name, '') = '' then 'the school has no name'
                when first_value(b.line) over same_urn <> b.line
                    then format(
                        'URN %s stands on line %s already', b.urn, first_value(b.line) over same_urn
                    )
                when b.la_code is null and coalesce(b.dfe_code, b.gss) is not null
                    then format(
                        'authority "%s" is not known or was split, and the postcode does not tell',
                        left(coalesce(b.dfe_code, b.gss), 20)
                    )
                when b.la_code is null
                    then 'no authority is given, and the postcode does not tell'
            end as reason
        from pg_temp.arriving_school as b
        window same_urn as (partition by b.urn order by b.line)
    ) as r
    where a.line = r.line;

    update pg_temp.arriving_school as a
    set
        phase = coalesce(a.phase, s.phase),
        postcode = coalesce(a.postcode, s.postcode),
        website = coalesce(a.website, s.website),
        status = coalesce(a.status, s.status),
        opened = coalesce(a.opened, s.opened),
        closed = case
            when coalesce(a.status, s.status) = 'closed' then coalesce(a.closed, s.closed)
            else a.closed
        end
    from place.school as s
    where a.urn = s.urn;

    update pg_temp.arriving_school as a
    set outcome = case
        when s.urn is null then 'added'
        when s.status = 'open' and a.status = 'closed' then 'closed'
        else 'changed'
    end
    from pg_temp.arriving_school as b
    left join place.school as s on b.urn = s.urn
    where
        a.line = b.line
        and a.outcome = 'unchanged'
        and (b.name, b.la_code, b.phase, b.postcode, b.website, b.status, b.opened, b.closed)
        is distinct from
        (s.name, s.la_code, s.phase, s.postcode, s.website, s.status, s.opened, s.closed);

    insert into place.school
        (urn, name, la_code, phase, postcode, website, status, opened, closed)
    select
        a.urn, a.name, a.la_code, a.phase, a.postcode, a.website, coalesce(a.status, 'open'),
        a.opened, a.closed
    from pg_temp.arriving_school as a
    where a.outcome in ('added', 'changed', 'closed')
    on conflict (urn) do update set
        name = excluded.name, la_code = excluded.la_code, phase = excluded.phase,
        postcode = excluded.postcode, website = excluded.website, status = excluded.status,
        opened = excluded.opened, closed = excluded.closed;

    select
        count(*) filter (where a.outcome = 'added'),
        count(*) filter (where a.outcome = 'changed'),
        count(*) filter (where a.outcome = 'unchanged'),
        count(*) filter (where a.outcome = 'closed'),
        0,
        count(*) filter (where a.outcome = 'outside'),
        count(*) filter (where a.outcome = 'refused'),
        (
            select coalesce(
                jsonb_agg(jsonb_build_object('line', p.line, 'reason', p.reason) order by p.line),
                '[]'
            )
            from (
                select r.line, r.reason
                from pg_temp.arriving_school as r
                where r.outcome = 'refused'
                order by r.line
                limit 1000
            ) as p
        )
    into _report
    from pg_temp.arriving_school as a;
    return _report;
end;
$func$;

comment on function place.merge_schools is
'Bring the arrived schools into place.school: add, correct, close, never delete; a row that cannot be a school is refused and told.';
