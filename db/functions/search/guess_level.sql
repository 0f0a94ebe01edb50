-- search.guess_level
-- The score that about so many chunks exceed, between two of which it is known how many exceed them.
--
-- The count falls about exponentially with the score, so by its logarithm; every fourth trial by
-- halves, where the logarithm gets nowhere.
--
-- called by  search.score_cut
-- raises     nothing

create or replace function search.guess_level(
    low double precision,
    above_low double precision,
    high double precision,
    above_high double precision,
    target double precision,
    trial integer
)
returns double precision
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select guess_level.low + (guess_level.high - guess_level.low) * case
        when guess_level.trial % 4 = 0 then 0.5
        else least(0.95, greatest(0.05,
            (ln(greatest(0.5, guess_level.above_low)) - ln(guess_level.target))
            / greatest(
                1e-6,
                ln(greatest(0.5, guess_level.above_low)) - ln(greatest(0.5, guess_level.above_high))
            )
        ))
    end;
$func$;

comment on function search.guess_level is
'The score that about so many chunks exceed, between two of which it is known how many exceed them.';
