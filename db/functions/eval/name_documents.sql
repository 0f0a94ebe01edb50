-- eval.name_documents
-- Say which stored document each name in a set's judgements means; replaces what was said before.
--
-- called by  bench/calls.py
-- writes     eval.document
-- raises     JU001 unknown set

create or replace function eval.name_documents(
    set_name text,
    document_keys text[],
    document_ids bigint[]
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set_id integer := (eval.named_set(name_documents.set_name)).question_set_id;
    _count integer;
begin
    delete from eval.document as d where d.question_set_id = _set_id;
    insert into eval.document (question_set_id, document_key, document_id)
    select _set_id, u.document_key, u.document_id
    from unnest(name_documents.document_keys, name_documents.document_ids)
        as u (document_key, document_id);
    get diagnostics _count = row_count;
    return _count;
end;
$func$;

comment on function eval.name_documents is
'Say which stored document each name in a set''s judgements means; replaces what was said before.';
