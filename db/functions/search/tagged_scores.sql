-- search.tagged_scores
-- The same blocks with the scores of visible chunks that carry any of these tags alone, all others 0; NULL where more than most carry them.
--
-- A block that holds none of them is left out. Some one and a half microseconds for each chunk that
-- carries them.
--
-- called by  search.keyword_pool
-- raises     nothing

create or replace function search.tagged_scores(
    blocks search.block_scores[],
    tags text[],
    scope_ids bigint[],
    statuses text[],
    most bigint
)
returns search.block_scores[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- planned once for all calls, and that by an index
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $func$
begin
    return (
        with tagged as materialized (
            select t.scope_id, array_agg(t.chunk_id order by t.chunk_id) as chunk_ids
            from search.tagged_chunks(
                tagged_scores.tags, tagged_scores.scope_ids, tagged_scores.statuses,
                tagged_scores.most + 1
            ) as t
            group by t.scope_id
        )

        select case
            when (select coalesce(sum(cardinality(t.chunk_ids)), 0) from tagged as t)
                <= tagged_scores.most
                then array(
                    select row(
                        b.scope_id,
                        b.block,
                        b.scores operator(public.*) format(
                            '{%s:1}/%s',
                            array_to_string(p.places, ':1,'), public.vector_dims(b.scores)
                        )::public.sparsevec::public.vector
                    )::search.block_scores
                    from (
                        select
                            u.scope_id, u.block, u.scores, t.chunk_ids as tagged,
                            k.chunk_ids || '{}'::bigint[] as chunk_ids
                        from tagged as t
                        inner join unnest(tagged_scores.blocks) as u on t.scope_id = u.scope_id
                        inner join search.listed_block as k
                            on u.scope_id = k.scope_id and u.block = k.block
                        -- an array is read in one piece, not for each of its chunks
                        offset 0
                    ) as b
                    cross join lateral (
                        select array_agg(i.place) as places
                        from (
                            select c.chunk_id, width_bucket(c.chunk_id, b.chunk_ids) as place
                            -- of those that are tagged the ones from the block's first to its last
                            from unnest(b.tagged[
                                1 + width_bucket(b.chunk_ids[1] - 1, b.tagged)
                                : width_bucket(b.chunk_ids[cardinality(b.chunk_ids)], b.tagged)
                            ]) as c (chunk_id)
                            offset 0
                        ) as i
                        -- what came since is not in the lists
                        where b.chunk_ids[i.place] = i.chunk_id
                    ) as p
                    where p.places is not null
                )
        end
    );
end;
$func$;

comment on function search.tagged_scores is
'The same blocks with the scores of visible chunks that carry any of these tags alone, all others 0; NULL where more than most carry them.';
