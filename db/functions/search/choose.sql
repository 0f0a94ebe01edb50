-- search.choose
-- From the kept candidates the answer: equal texts once, few chunks a document, the best top_k; each of the others with the reason it is not in it.
--
-- Down the list by score, a chunk is passed over when its text is taken or its document is full.
-- Of the rest some places are kept for what fusion ranks low though it must not be missing.
--
-- called by  search.retrieve
-- raises     nothing

create or replace function search.choose(
    hits search.ranked_hit[],
    top_k integer,
    max_chunks_per_document integer
)
returns setof search.ranked_hit
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _row record;
    _hit record;   -- a search.ranked_hit
    _eligible search.ranked_hit[];
    _passed_over search.ranked_hit[];
    _takers bigint[];   -- by number of the text: who has it
    _taken integer[];   -- by number of the document: how many chunks
begin
    for _row in
        select
            h as hit,
            dense_rank() over (order by h.content_hash) as text_number,
            dense_rank() over (order by h.document_id) as document_number
        from unnest(choose.hits) as h
        where h.dropped_because is null
        order by h.score desc, h.chunk_id
    loop
        _hit := _row.hit;
        if _takers[_row.text_number] is not null then
            _hit.dropped_at := 'same_text';
            _hit.dropped_because := format(
                'same text as chunk %s, which stands higher', _takers[_row.text_number]
            );
        elsif _taken[_row.document_number] >= choose.max_chunks_per_document then
            _hit.dropped_at := 'document_full';
            _hit.dropped_because := format(
                'its document already has the %s chunks it may have',
                choose.max_chunks_per_document
            );
        end if;
        if _hit.dropped_at is not null then
            _passed_over := _passed_over || _hit;
        else
            _takers[_row.text_number] := _hit.chunk_id;
            _taken[_row.document_number] := coalesce(_taken[_row.document_number], 0) + 1;
            _eligible := _eligible || _hit;
        end if;
    end loop;

    for _row in
        select
            t.hit,
            t.turn,
            row_number() over (
                -- what was only brought in for the school never stands above what answers
                order by t.turn > choose.top_k, (t.hit).school_boosted, (t.hit).score desc,
                    (t.hit).chunk_id
            ) as place
        from (
            select
                r.hit,
                row_number() over (
                    order by r.reserved desc, (r.hit).school_boosted, (r.hit).score desc,
                        (r.hit).chunk_id
                ) as turn
            from (
                select
                    h as hit,
                    -- a chunk with the very identifier or all rare words of the question, which
                    -- fusion may rank under many merely similar ones, and what was brought in
                    -- for the asked school keep some places
                    row_number() over (
                        partition by h.school_boosted, h.floor_exempt
                        order by h.score desc, h.chunk_id
                    ) <= case
                        when h.school_boosted then choose.top_k / 2
                        when h.floor_exempt then choose.top_k / 3
                        else 0
                    end as reserved
                from unnest(_eligible) as h
            ) as r
        ) as t
        order by place
    loop
        _hit := _row.hit;
        if _row.turn <= choose.top_k then
            _hit.place := _row.place;
        else
            _hit.dropped_at := 'top_k';
            _hit.dropped_because := format(
                'comes %s in line, the answer holds %s',
                to_char(_row.turn, 'FM999999th'), choose.top_k
            );
        end if;
        return next _hit;
    end loop;

    return query
    select h.*
    from (
        select p.* from unnest(_passed_over) as p
        union all
        select d.* from unnest(choose.hits) as d where d.dropped_because is not null
    ) as h
    order by h.score desc, h.chunk_id;
end;
$func$;

comment on function search.choose is
'From the kept candidates the answer: equal texts once, few chunks a document, the best top_k; each of the others with the reason it is not in it.';
