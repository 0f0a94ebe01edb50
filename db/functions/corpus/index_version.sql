-- corpus.index_version
-- Make the words of a version findable, those of its title with each passage.
--
-- called by  corpus.expose_version, corpus.correct_facts
-- writes     search.text_index

create or replace function corpus.index_version(version_id bigint)
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
        where c.version_id = index_version.version_id
        order by c.chunk_index
    ) as i;
$func$;

comment on function corpus.index_version is
'Make the words of a version findable, those of its title with each passage.';
