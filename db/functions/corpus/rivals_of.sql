-- corpus.rivals_of
-- The published versions that cannot stay published beside this one: of its document, or of its title in the same scope and source family.
--
-- Titles do not make a rival of a document that stands alone: a curator said so. Files of one
-- archive in different folders are different documents, however alike their titles. Nor does a
-- title that several pages of a web site share, date and all: it names the site, and no page of it
-- is an edition of another, also when one of them gets the title of a new year first. Copies of one
-- text are one page at several addresses: they share no title with another.
--
-- called by  corpus.judge_rivals, corpus.publish_tasks, corpus.undo_supersession,
--            corpus.correct_facts
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
            or (
                r.title_key = n.title_key
                and not corpus.in_other_folder(o.source, d.source)
                and not (
                    d.source_family <> 'upload'
                    and exists (
                        select
                        from corpus.version as s
                        inner join corpus.document as p on s.document_id = p.document_id
                        where
                            s.title_key = r.title_key
                            and s.document_id <> r.document_id
                            and (
                                s.content_hash <> r.content_hash or s.version_id = n.version_id
                            )
                            and (s.state = 'published' or s.version_id = n.version_id)
                            and s.effective_date is not distinct from r.effective_date
                            and corpus.fold_title(s.title) = corpus.fold_title(r.title)
                            and p.scope_id = d.scope_id
                            and p.source_family = d.source_family
                    )
                )
            )
        )
    where n.version_id = rivals_of.version_id and r.version_id <> n.version_id;
$func$;

comment on function corpus.rivals_of is
'The published versions that cannot stay published beside this one: of its document, or of its title in the same scope and source family.';
