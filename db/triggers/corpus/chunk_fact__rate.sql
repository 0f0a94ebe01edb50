-- corpus.chunk_fact__rate
-- The quality of a passage follows its tags, whichever client changes them.
--
-- raises     ST002 unusable setting

create or replace function corpus.chunk_fact__rate()
returns trigger
language plpgsql
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if new.tags is not distinct from old.tags then
        return new;
    end if;
    select corpus.quality_score(
        length(c.content), v.file_type, cardinality(new.tags),
        config.value('kb.chunk_size')::integer
    )
    into new.quality_score
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    where c.chunk_id = new.chunk_id;
    return new;
end;
$func$;

comment on function corpus.chunk_fact__rate is
'The quality of a passage follows its tags, whichever client changes them.';

create or replace trigger chunk_fact__rate
before update of tags on corpus.chunk_fact
for each row execute function corpus.chunk_fact__rate();
