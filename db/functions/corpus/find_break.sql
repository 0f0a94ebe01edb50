-- corpus.find_break
-- Length of the best passage at the start of a window: the break nearest to the size that is not before low.
--
-- called by  corpus.chunk_text
-- raises     nothing

create or replace function corpus.find_break(passage_window text, size integer, low integer)
returns integer
language plpgsql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _head text := substr(passage_window, low + 1, size - low);
    _before text := reverse(_head);
    _after text := substr(passage_window, size + 1);
    _back integer;
    _forward integer;
    _astride integer;  -- characters before the size that a break across it may begin with
begin
    if length(passage_window) <= size then
        return length(passage_window);
    end if;
    -- the text before the size is searched from its end: the first match is the nearest break
    for _kind in 1..3 loop
        case _kind
            when 1 then
                _back := nullif(regexp_instr(_before, '\n[ \t\r\n]*\n'), 0);
                _astride := length(_head) - length(rtrim(_head, E' \t\r\n'));
                _forward := nullif(regexp_instr(
                    right(_head, _astride) || _after, '\n[ \t\r\n]*\n', 1, 1, 1
                ), 0) - 1 - _astride;
                if _forward <= 0 then
                    _forward := nullif(regexp_instr(_after, '\n[ \t\r\n]*\n', 1, 1, 1), 0) - 1;
                end if;
            when 2 then
                _back := nullif(regexp_instr(_before, '\s["'')\]]*[.!?]'), 0);
                _astride := length(_head) - length(rtrim(_head, '.!?"'')]'));
                _forward := nullif(regexp_instr(
                    right(_head, _astride) || _after, '[.!?]["'')\]]*\s', 1, 1, 1
                ), 0) - 1 - _astride;
            else
                _back := nullif(regexp_instr(_before, '\s'), 0);
                _forward := nullif(regexp_instr(_after, '\s'), 0);
        end case;
        continue when _back is null and _forward is null;
        if _forward is null or (_back is not null and _back - 1 <= _forward) then
            return size - _back + 1;
        end if;
        return size + _forward;
    end loop;
    -- no white space at all: never between a letter and its combining marks
    _forward := size;
    while _forward > low
        and substr(passage_window, _forward + 1, 1) ~ E'[\u0300-\u036f\u200d\ufe0f]'
    loop
        _forward := _forward - 1;
    end loop;
    return _forward;
end;
$func$;

comment on function corpus.find_break is
'Length of the best passage at the start of a window: the break nearest to the size that is not before low.';
