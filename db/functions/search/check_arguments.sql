-- search.check_arguments
-- Refuse limits and states that a search cannot have, before any work is done.
--
-- called by  search.resolve_request
-- raises     SE001 argument out of range, SE002 a state that may not be retrieved

create or replace function search.check_arguments(
    top_k integer,
    candidates integer,
    statuses text[],
    rrf_k double precision,
    vector_weight double precision,
    keyword_weight double precision
)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if check_arguments.top_k not between 1 and 100
        or check_arguments.candidates not between 1 and 1000
    then
        raise exception 'top_k % or candidates % is out of range',
            check_arguments.top_k, check_arguments.candidates
            using errcode = 'SE001', hint = 'top_k is 1 to 100, candidates 1 to 1000.';
    end if;
    -- past these a share of the score would be too small for a number
    if not (check_arguments.rrf_k > 0 and check_arguments.rrf_k <= 1e6)
        or not (
            check_arguments.vector_weight = 0
            or check_arguments.vector_weight between 1e-18 and 1000
        )
        or not (
            check_arguments.keyword_weight = 0
            or check_arguments.keyword_weight between 1e-18 and 1000
        )
    then
        raise exception 'rrf_k, vector_weight or keyword_weight is out of range'
            using errcode = 'SE001',
                  hint = 'k is over 0 to 1000000, weights are 0 or 1e-18 to 1000.';
    end if;
    -- an allow-list, whoever asks: rejected, flagged and superseded text never comes back
    if not check_arguments.statuses <@ array['approved', 'pending'] then
        raise exception 'a state in % may not be retrieved', check_arguments.statuses
            using errcode = 'SE002', hint = 'Give approved, pending or both.';
    end if;
end;
$func$;

comment on function search.check_arguments is
'Refuse limits and states that a search cannot have, before any work is done.';
