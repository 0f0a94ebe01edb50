-- 0038_scoped_tags
-- why   what carries a tag in the scopes of a question is found without what carries it elsewhere:
--       a search asks four times (docs/decisions/0034)
-- lock  corpus.chunk_fact against writes while the index is built (three seconds for 451,000 chunks)
-- undo  drop index corpus.chunk_fact_scoped_tags_idx; drop function corpus.scoped_tags
-- definition needs corpus.scoped_tags, which the index is made of
set local lock_timeout = '2s';
set local statement_timeout = '10min';

create function corpus.scoped_tags(tags text[], scope_ids bigint[])
returns text[]
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select array(
        select s.scope_id || ' ' || t.tag
        from unnest(scoped_tags.tags) as t (tag)
        cross join unnest(scoped_tags.scope_ids) as s (scope_id)
    );
$func$;
comment on function corpus.scoped_tags is
'Each of these tags in each of these scopes, as one word: those of a chunk and those a question asks for have one in common where the chunk is in one of the scopes and carries one of the tags.';

-- squawk-ignore require-concurrent-index-creation
create index chunk_fact_scoped_tags_idx on corpus.chunk_fact
using gin (corpus.scoped_tags(tags, array[scope_id])) with (fastupdate = off);

update config.setting
set meaning = 'How many hits of a binary index are ranked again by their vectors at 768 dimensions, at least eight times kb.candidates; in proportion fewer of wider vectors, more of narrower ones, at most 1000 of a graph.'
where name = 'kb.rerank_depth';
