-- search.freshness
-- Mild weight by age: floor + (1 - floor) / (1 + years); a date to come counts as today, an unknown one is neutral.
--
-- Without a pinned path, so that it is inlined: it is called for every candidate.
--
-- called by  search.weigh
-- raises     nothing

create or replace function search.freshness(
    effective_date date,
    on_day date,
    floor double precision default 0.8
)
returns double precision
language sql
immutable
parallel safe
security invoker
as $func$
    select case
        when freshness.effective_date is null or freshness.on_day is null then 1.0
        -- infinite days cannot be subtracted
        when 
            not pg_catalog.isfinite(freshness.effective_date)
            or not pg_catalog.isfinite(freshness.on_day)
        then
            case when freshness.effective_date < freshness.on_day then freshness.floor else 1.0 end
        else
            freshness.floor + (1 - freshness.floor)
            / (1 + greatest(0, freshness.on_day - freshness.effective_date) / 365.25)
    end;
$func$;

comment on function search.freshness is
'Mild weight by age: floor + (1 - floor) / (1 + years); a date to come counts as today, an unknown one is neutral.';
