-- corpus.passages
-- Cut a text into passages, and tell of each the pages it stands on and the headings it stands under.
--
-- The parser's metadata says where pages and headings begin: page_starts, an array of characters
-- before each page, and headings, an array of {start, level, text}. What is not of that shape is
-- passed over. The path of a passage is the one in force at its beginning: headings further down
-- are in its text.
--
-- called by  corpus.stage_document
-- raises     KB005 as corpus.chunk_text, ST002 unusable setting

create or replace function corpus.passages(body text, metadata jsonb)
returns table (
    chunk_index integer,
    start_at integer,
    content text,
    page_from integer,
    page_to integer,
    heading_path text[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    -- empty pages begin where the next one does
    _page_starts integer[] := array(
        select p.start_at::integer
        from jsonb_path_query(
            passages.metadata,
            '$.page_starts[*] ? (@.type() == "number" && @ >= 0 && @ <= 2000000000)'
        ) with ordinality as p (start_at, place)
        order by p.start_at::integer, p.place
    );
    _heading_starts integer[];
    _levels integer[];
    _texts text[];
    _next integer := 1;           -- the heading that comes next
    _path_levels integer[] := '{}';
    _level integer;
begin
    select
        array_agg((h.heading ->> 'start')::numeric::integer order by h.place),
        array_agg((h.heading ->> 'level')::numeric::integer order by h.place),
        array_agg(left(h.heading ->> 'text', 300) order by h.place)
    into _heading_starts, _levels, _texts
    from jsonb_path_query(
        passages.metadata,
        '$.headings[*] ? (
            @.start.type() == "number" && @.start >= 0 && @.start <= 2000000000
            && @.level.type() == "number" && @.level >= 1 && @.level <= 9
            && @.text.type() == "string"
        )'
    ) with ordinality as h (heading, place);

    heading_path := '{}';
    for chunk_index, start_at, content in
        select c.chunk_index, c.start_at, c.content from corpus.chunk_text(passages.body) as c
    loop
        while _heading_starts[_next] <= start_at loop
            _level := _levels[_next];
            while _path_levels[cardinality(_path_levels)] >= _level loop
                _path_levels := trim_array(_path_levels, 1);
                heading_path := trim_array(heading_path, 1);
            end loop;
            _path_levels := _path_levels || _level;
            heading_path := heading_path || _texts[_next];
            _next := _next + 1;
        end loop;
        if cardinality(_page_starts) > 0 then
            page_from := greatest(1, width_bucket(start_at, _page_starts));
            page_to := greatest(
                page_from, width_bucket(start_at + length(content) - 1, _page_starts)
            );
        end if;
        return next;
    end loop;
end;
$func$;

comment on function corpus.passages is
'Cut a text into passages, and tell of each the pages it stands on and the headings it stands under.';
