-- corpus.rivals_of
-- The published versions that cannot stay published beside this one: of its document, or of its title in the same scope and source family.
--
-- Titles do not make a rival of a document that stands alone: a curator said so. Files of one
-- archive in different folders are different documents, however alike their titles.
--
-- called by  corpus.judge_rivals, corpus.publish_tasks, corpus.undo_supersession
-- raises     nothing

create or replace function corpus.rivals_of(version_id bigint)
returns setof corpus.version
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select r.*
    from corpus.version as n
    inner join corpus.document as d on n.document_id = d.document_id
    inner join corpus.document as o
        on d.scope_id = o.scope_id
        and (
            o.document_id = d.document_id
            or (
                o.source_family = d.source_family
                and not o.stands_alone and not d.stands_alone
            )
        )
    inner join corpus.version as r
        on o.document_id = r.document_id
        and r.state = 'published'
        and (
            o.document_id = d.document_id
            or (r.title_key = n.title_key and not corpus.in_other_folder(o.source, d.source))
        )
    where n.version_id = rivals_of.version_id and r.version_id <> n.version_id;
$func$;

comment on function corpus.rivals_of is
'The published versions that cannot stay published beside this one: of its document, or of its title in the same scope and source family.';
