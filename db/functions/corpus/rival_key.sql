-- corpus.rival_key
-- The key by which a version replaces other documents of its title; NULL when its title alone is no reason to.
--
-- The pages of one site often share a title that names none of them ("Local offer"). So a page of
-- the web replaces another address only as an edition: when its title names a date or a version,
-- or the day it applies from is known. A file that was handed in was named by somebody.
--
-- called by  corpus.stage_document, corpus.correct_facts
-- raises     nothing

create or replace function corpus.rival_key(title text, source text, effective_date date)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select case
        when corpus.source_host(rival_key.source) is null
            or rival_key.effective_date is not null
            or corpus.names_edition(rival_key.title)
            then corpus.title_key(rival_key.title)
    end;
$func$;

comment on function corpus.rival_key is
'The key by which a version replaces other documents of its title; NULL when its title alone is no reason to.';
