-- corpus.index_versions
-- Make the words of versions findable, those of its title with each passage.
--
-- called by  corpus.expose_versions, corpus.index_version
-- writes     search.text_index
-- raises     ST002 unusable setting

create or replace function corpus.index_versions(version_ids bigint[])
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into search.text_index (chunk_id, scope_id, lexemes, token_count)
    select i.chunk_id, i.scope_id, i.lexemes, terms.count_tokens(i.lexemes)
    from (
        select
            c.chunk_id, c.scope_id,
            terms.to_index(embedding.text_of(v.title, c.content)) as lexemes
        from corpus.chunk as c
        inner join corpus.version as v on c.version_id = v.version_id
        where c.version_id = any(index_versions.version_ids)
        order by c.version_id, c.chunk_index
    ) as i;
$func$;

comment on function corpus.index_versions is
'Make the words of versions findable, those of its title with each passage.';
