-- terms.check_pattern
-- Refuse a regular expression that the server cannot run or that matches everything.
--
-- called by  terms.load_synonyms, terms.load_topics
-- raises     TE001 unusable pattern

create or replace function terms.check_pattern(pattern text, owner text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _matches_nothing_said boolean;
begin
    begin
        -- no text, and a word that nobody says
        _matches_nothing_said := '' ~* check_pattern.pattern or 'qzx' ~* check_pattern.pattern;
    exception when invalid_regular_expression then
        raise exception 'the pattern of "%" is not a regular expression', check_pattern.owner
            using errcode = 'TE001', detail = sqlerrm,
                  hint = 'Patterns are PostgreSQL regular expressions: \y is a word edge.';
    end;
    if coalesce(check_pattern.pattern, '') = '' or _matches_nothing_said then
        raise exception 'the pattern of "%" matches every question', check_pattern.owner
            using errcode = 'TE001', hint = 'Give a pattern that needs at least one word.';
    end if;
end;
$func$;

comment on function terms.check_pattern is
'Refuse a regular expression that the server cannot run or that matches everything.';
