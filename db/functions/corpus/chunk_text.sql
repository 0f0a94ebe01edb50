-- corpus.chunk_text
-- Cut a text into overlapping passages at paragraph, else sentence, else word ends; nothing is lost.
--
-- A passage ends within half to one and a half times the size, at the paragraph end nearest to
-- the size, else the nearest sentence end, else the nearest white space, else at the size. The
-- next one starts overlap characters earlier, at a word. A last passage with less new text than
-- the minimum joins the one before. Sizes left out are the settings kb.chunk_*.
-- The text is walked in blocks of bytes: finding a character of a long text costs its length.
--
-- called by  corpus.passages
-- raises     KB005 size, overlap or minimum that could not work, ST002 unusable setting

create or replace function corpus.chunk_text(
    body text,
    size integer default null,
    overlap integer default null,
    minimum integer default null
)
returns table (chunk_index integer, start_at integer, content text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _size integer := coalesce(chunk_text.size, config.value('kb.chunk_size')::integer);
    _overlap integer := coalesce(chunk_text.overlap, config.value('kb.chunk_overlap')::integer);
    _minimum integer := coalesce(chunk_text.minimum, config.value('kb.chunk_minimum')::integer);
    _low integer;      -- a passage is at least this long
    _high integer;     -- and at most this
    _bytes bytea := convert_to(chunk_text.body, 'UTF8');
    _length integer := octet_length(_bytes);
    _read integer := 0;           -- bytes already in the buffer
    _upto integer;
    _buffer text := '';
    _buffer_start integer := 0;   -- characters of the body before the buffer
    _at integer := 1;             -- where the passage starts in the buffer
    _left integer;
    _window text;
    _cut integer;
    _next integer;
    _step integer;
    _index integer := 0;
    _pending text;                -- last passage, held back because the tail may join it
    _pending_start integer;
    _covered integer := 0;        -- characters of the body already looked at
    _end integer;                 -- characters of the body up to the end of this passage
    _fresh text;                  -- what this passage adds to the one before
begin
    if _size not between 10 and 100000 or _overlap < 0 or _overlap >= _size or _minimum < 0
        or _minimum > _size
    then
        raise exception 'chunk size %, overlap % and minimum % cannot work',
            _size, _overlap, _minimum
            using errcode = 'KB005',
                  detail = 'Each passage must move forward by at least one character.',
                  hint = 'Choose 10 <= size <= 100000, 0 <= overlap < size, 0 <= minimum <= size.';
    end if;
    if chunk_text.body !~ '\S' then
        return;
    end if;
    -- forward by a tenth of the size at least, or the number of passages would explode
    _low := least(_size, greatest((_size + 1) / 2, _overlap + greatest(1, _size / 10)));
    _high := _size + _size / 2;

    loop
        while _read < _length and length(_buffer) - _at + 1 <= 2 * _high loop
            _upto := least(_length, _read + greatest(4000, 2 * _high));
            -- a block ends between characters
            while _upto < _length and get_byte(_bytes, _upto) & 192 = 128 loop
                _upto := _upto - 1;
            end loop;
            _buffer_start := _buffer_start + _at - 1;
            _buffer := substr(_buffer, _at)
                || convert_from(substr(_bytes, _read + 1, _upto - _read), 'UTF8');
            _at := 1;
            _read := _upto;
        end loop;
        _left := length(_buffer) - _at + 1;
        exit when _left <= 0;

        if _read = _length and _left <= _size then
            _cut := _left;
        else
            _window := substr(_buffer, _at, _high);
            _cut := corpus.find_break(_window, _size, _low);
        end if;

        _end := _buffer_start + _at - 1 + _cut;
        _fresh := substr(_buffer, _covered - _buffer_start + 1, _end - _covered);
        if _pending is not null and _fresh ~ '\S' then
            if _read = _length and _cut = _left
                and _covered = _pending_start + length(_pending)
                and length(btrim(_fresh, E' \t\r\n\f\u00a0')) < _minimum
            then
                -- the tail has too little new text to stand alone
                _pending := _pending || _fresh;
                exit;
            end if;
            chunk_index := _index;
            start_at := _pending_start + length(_pending) - length(ltrim(_pending, E' \t\r\n\f'));
            content := btrim(_pending, E' \t\r\n\f');
            if content ~ '\S' then
                return next;
                _index := _index + 1;
            end if;
            _pending := null;
        end if;
        -- a stretch of white space is no passage of its own, and joins none
        if _pending is null then
            _pending := substr(_buffer, _at, _cut);
            _pending_start := _buffer_start + _at - 1;
        end if;
        _covered := _end;
        exit when _read = _length and _cut >= _left;

        -- start the next passage at a word, not inside one; never at a combining mark
        _next := _at + _cut - _overlap;
        if _overlap > 0 then
            _step := coalesce(
                length(substring(substr(_buffer, _next - 1, _overlap / 2 + 1) from '^\S*\s+')), 1
            ) - 1;
            _next := _next + greatest(0, _step);
            while _next > _at + 1
                and substr(_buffer, _next, 1) ~ E'[\u0300-\u036f\u200d\ufe0f]'
            loop
                _next := _next - 1;
            end loop;
        end if;
        _at := greatest(_at + 1, _next);
    end loop;

    chunk_index := _index;
    start_at := _pending_start + length(_pending) - length(ltrim(_pending, E' \t\r\n\f'));
    content := btrim(_pending, E' \t\r\n\f');
    if content ~ '\S' then
        return next;
    end if;
end;
$func$;

comment on function corpus.chunk_text is
'Cut a text into overlapping passages at paragraph, else sentence, else word ends; nothing is lost.';
