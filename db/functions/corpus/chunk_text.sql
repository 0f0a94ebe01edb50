-- corpus.chunk_text
-- Cut a text into overlapping passages at paragraph, else sentence, else word ends; nothing is lost.
--
-- A passage ends within half to one and a half times the size, at the paragraph end nearest to
-- the size, else the nearest sentence end, else the nearest white space, else at the size. The
-- next one starts overlap characters earlier, at a word. A last passage with less new text than
-- the minimum joins the one before. Sizes left out are the settings kb.chunk_*.
-- The text is walked in blocks: finding a character of a long text costs its whole length.
--
-- called by  corpus.stage_document
-- raises     CO005 size, overlap or minimum that could not work

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
    -- in two steps, so that no character is reached by walking the whole text for each block
    _blocks no scroll cursor for
        select substr(p.piece, b.block_at, 4000)
        from (
            select
                g.piece_at,
                substr(chunk_text.body, g.piece_at, 400000) as piece
            from generate_series(1, length(chunk_text.body), 400000) as g (piece_at)
            -- keeps the piece from being cut anew for every block
            offset 0
        ) as p
        cross join lateral generate_series(1, length(p.piece), 4000) as b (block_at)
        order by p.piece_at, b.block_at;
    _block text;
    _more boolean;                -- whether _block holds text not in the buffer yet
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
    _covered integer := 0;        -- characters of the body already in a passage
begin
    if _size not between 10 and 100000 or _overlap < 0 or _overlap >= _size or _minimum < 0
        or _minimum > _size
    then
        raise exception 'chunk size %, overlap % and minimum % cannot work', _size, _overlap, _minimum
            using errcode = 'CO005',
                  detail = 'Each passage must move forward by at least one character.',
                  hint = 'Choose 10 <= size <= 100000, 0 <= overlap < size, 0 <= minimum <= size.';
    end if;
    if chunk_text.body !~ '\S' then
        return;
    end if;
    -- forward by a tenth of the size at least, or the number of passages would explode
    _low := least(_size, greatest((_size + 1) / 2, _overlap + greatest(1, _size / 10)));
    _high := _size + _size / 2;

    open _blocks;
    fetch next from _blocks into _block;
    _more := found;

    loop
        while _more and length(_buffer) - _at + 1 <= 2 * _high loop
            _buffer_start := _buffer_start + _at - 1;
            _buffer := substr(_buffer, _at) || _block;
            _at := 1;
            fetch next from _blocks into _block;
            _more := found;
        end loop;
        _left := length(_buffer) - _at + 1;
        exit when _left <= 0;

        if not _more and _left <= _size then
            _cut := _left;
        else
            _window := substr(_buffer, _at, _high);
            _cut := corpus.find_break(_window, _size, _low);
        end if;

        if _pending is not null
            and not _more
            and _cut = _left
            and length(btrim(
                substr(_buffer, greatest(1, _covered - _buffer_start + 1)), E' \t\r\n\f\u00a0'
            )) < _minimum
        then
            -- the tail has too little new text to stand alone
            _pending := _pending || substr(_buffer, greatest(1, _covered - _buffer_start + 1));
            exit;
        end if;
        if _pending is not null then
            chunk_index := _index;
            start_at := _pending_start + length(_pending) - length(ltrim(_pending, E' \t\r\n\f'));
            content := btrim(_pending, E' \t\r\n\f');
            if content ~ '\S' then
                return next;
                _index := _index + 1;
            end if;
        end if;
        _pending := substr(_buffer, _at, _cut);
        _pending_start := _buffer_start + _at - 1;
        _covered := _pending_start + _cut;
        exit when not _more and _cut >= _left;

        -- start the next passage at a word, not inside one
        _next := _at + _cut - _overlap;
        if _overlap > 0 then
            _step := coalesce(
                length(substring(substr(_buffer, _next - 1, _overlap / 2 + 1) from '^\S*\s+')), 1
            ) - 1;
            _next := _next + greatest(0, _step);
        end if;
        _at := greatest(_at + 1, _next);
    end loop;

    close _blocks;
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
