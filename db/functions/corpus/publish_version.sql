-- corpus.publish_version
-- Make a staged version the one that is seen, in one short transaction, and retire what it replaces.
--
-- It replaces the published version of its own document and the published documents of the same
-- scope, source family and title key, unless one of them applies from a later day, or a later
-- version of its document was faster: then the staged one is stored as already superseded.
-- Publishing twice changes nothing.
--
-- called by  bench/churn.py, people at psql
-- writes     what corpus.settle_version and corpus.expose_version write
-- locks      as corpus.settle_version
-- raises     KB009 unknown version, KB010 a chunk lacks its vector, ST002 unusable setting

create or replace function corpus.publish_version(version_id bigint)
returns table (document_id bigint, version integer, superseded_documents bigint[])
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _goes_live boolean;
begin
    select s.document_id, s.version, s.superseded_documents, s.goes_live
    into document_id, version, superseded_documents, _goes_live
    from corpus.settle_version(publish_version.version_id) as s;
    if _goes_live then
        perform corpus.expose_version(publish_version.version_id);
    end if;
    return next;
end;
$func$;

comment on function corpus.publish_version is
'Make a staged version the one that is seen, in one short transaction, and retire what it replaces.';
