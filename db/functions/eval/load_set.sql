-- eval.load_set
-- Replace a set of judged questions by another version of it; nothing changes when the digest is the same.
--
-- A question is {id, kind, split, question, la, home_la, urn, tags, as_of, note, relevant:
-- [{document, grade}], forbidden: [document]}.
--
-- called by  bench/calls.py
-- writes     eval.question_set, eval.question, eval.judgement
-- locks      advisory: the name, so that two loaders cannot both make it
-- raises     JU003 a question that cannot be used

create or replace function eval.load_set(name text, digest bytea, questions jsonb)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set_id integer;
    _bad text;
begin
    perform pg_advisory_xact_lock(hashtextextended('eval.load_set ' || load_set.name, 5));
    select s.question_set_id into _set_id
    from eval.question_set as s
    where s.name = load_set.name and s.digest = load_set.digest;
    if found then
        return _set_id;
    end if;

    select coalesce(q.value ->> 'id', 'without id') into _bad
    from jsonb_array_elements(load_set.questions) as q
    where
        coalesce(q.value ->> 'id', '') !~ '\S'
        or coalesce(q.value ->> 'question', '') !~ '\S'
        or coalesce(q.value ->> 'split', 'held-out') not in ('tune', 'held-out')
    limit 1;
    if found then
        raise exception 'the question "%" cannot be used', left(_bad, 60)
            using errcode = 'JU003',
                  hint = 'Give it an id, words, and the split tune or held-out.';
    end if;

    delete from eval.question_set as s where s.name = load_set.name;
    insert into eval.question_set (name, digest)
    values (load_set.name, load_set.digest)
    returning question_set_id into _set_id;
    insert into eval.question (
        question_set_id, question_key, kind, split, question, la, home_la, urn, tags, as_of, note
    )
    select
        _set_id, q.id, coalesce(q.kind, 'plain'), coalesce(q.split, 'held-out'), q.question,
        q.la, q.home_la, q.urn, q.tags, q.as_of, coalesce(q.note, '')
    from jsonb_to_recordset(load_set.questions) as q (
        id text, kind text, split text, question text, la text, home_la text, urn text,
        tags text[], as_of date, note text
    );
    insert into eval.judgement (question_id, document_key, grade, forbidden)
    select w.question_id, j.document_key, j.grade, j.forbidden
    from jsonb_to_recordset(load_set.questions) as q (id text, relevant jsonb, forbidden text[])
    inner join eval.question as w on q.id = w.question_key and w.question_set_id = _set_id
    cross join lateral (
        select r.document, r.grade, false
        from jsonb_to_recordset(coalesce(q.relevant, '[]')) as r (document text, grade integer)
        union all
        select f.document, 0, true
        from unnest(q.forbidden) as f (document)
    ) as j (document_key, grade, forbidden);
    return _set_id;
end;
$func$;

comment on function eval.load_set is
'Replace a set of judged questions by another version of it; nothing changes when the digest is the same.';
