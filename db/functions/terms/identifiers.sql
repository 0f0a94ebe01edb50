-- terms.identifiers
-- Identifier tokens of a folded text: #s36 for section 36, #r5 for regulation 5, #p9.69 for paragraph 9.69, #inc-48211 for a case number.
--
-- called by  terms.to_index
-- raises     nothing

create or replace function terms.identifiers(folded text)
returns text[]
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- the parser never makes a token with #, so these cannot collide with words
    select coalesce(array_agg(distinct left(i.token, 100)), '{}')
    from (
        select '#' || case m.part[1]
            when 's' then 's' when '§' then 's' when 'r' then 'r' else 'p'
        end || n.number as token
        from regexp_matches(
            identifiers.folded,
            -- not the s of "she's 15"
            '(?:(?<!'')\m(s|r|p)(?:s|ections?|eg|egs|egulations?|ara|aras|aragraphs?)?\.? ?|(§)+ ?)'
            || '(\d{1,4}(?:\.\d{1,3}){0,3}[a-z]{0,2})\M((?:\(\w{1,4}\)){0,3})'
            || '(?: ?(?:-|to|and) ?(\d{1,4}[a-z]{0,2})\M)?',
            'g'
        ) as r (part)
        cross join lateral (
            select array[coalesce(r.part[1], r.part[2]), r.part[3], r.part[4], r.part[5]]
        ) as m (part)
        cross join lateral (
            values (m.part[2]), (m.part[2] || nullif(m.part[3], '')), (m.part[4])
        ) as n (number)
        where n.number is not null
        union all
        -- inc-48211, pol-001, bcc-pol-014; not post-16 or covid-19
        select '#' || m.part[1]
        from regexp_matches(
            identifiers.folded,
            '\m([a-z]{2,12}[-_]\d{3,}[a-z0-9]{0,12}'
            || '|[a-z]{2,12}(?:[-_][a-z]{2,12}){1,4}[-_]\d+[a-z0-9]{0,12})\M',
            'g'
        ) as m (part)
    ) as i;
$func$;

comment on function terms.identifiers is
'Identifier tokens of a folded text: #s36 for section 36, #r5 for regulation 5, #p9.69 for paragraph 9.69, #inc-48211 for a case number.';
