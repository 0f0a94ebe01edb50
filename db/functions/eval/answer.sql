-- eval.answer
-- Ask the next questions of a run the way a person's question is asked, judge the answers and store both; returns how many questions are left.
--
-- A document stands where the first of its chunks stands in the answer of search_kb.
--
-- called by  bench/calls.py, a person at psql
-- writes     eval.outcome
-- raises     JU001 unknown set, JU005 unknown run, what search_kb raises

create or replace function eval.answer(run_id bigint, at_most integer default null)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _before jsonb;   -- the settings of the session, given back at the end
    _run eval.run;
    _set_id integer;
    _active embedding.set := embedding.active_set();
    _question record;
    _started timestamptz;
    _milliseconds double precision;
    _found bigint[];
    _documents text[];
    _gains integer[];
    _judged integer[];
    _left bigint;
begin
    select r.* into _run from eval.run as r where r.run_id = answer.run_id;
    if not found then
        raise exception 'there is no run %', answer.run_id
            using errcode = 'JU005', hint = 'Begin one: select eval.start_run(set_name);';
    end if;
    _set_id := (eval.named_set(_run.set_name)).question_set_id;
    _before := eval.use_settings(_run.settings);
    for _question in
        select
            q.*, v.embedding::public.vector as query_vec, s.la_code, s.home_la_code, s.school_urn
        from eval.question as q
        cross join lateral search.scope_of(q.la, q.home_la, q.urn) as s
        left join eval.question_vector as v
            on q.question_id = v.question_id and v.set_id = _active.set_id
        where
            q.question_set_id = _set_id
            and not exists (
                select
                from eval.outcome as o
                where o.run_id = _run.run_id and o.question_key = q.question_key
            )
        order by q.question_id
        limit answer.at_most
    loop
        _started := clock_timestamp();
        _found := array(
            select r.document_id
            from public.search_kb(
                query_vec => case when _run.mode <> 'keyword' then _question.query_vec end,
                tsquery => case
                    when _run.mode <> 'vector' then terms.build_tsquery(
                        _question.question, terms.expand_query(_question.question)
                    )
                end,
                la => _question.la_code,
                home_la => _question.home_la_code,
                urn => _question.school_urn,
                tags => _question.tags,
                as_of => _question.as_of,
                topics => terms.topics_for(_question.question),
                embedding_set => _active.name
            ) with ordinality as r
            order by r.ordinality
        );
        _milliseconds := extract(epoch from clock_timestamp() - _started) * 1000;
        _documents := array(
            select eval.document_name(_set_id, f.document_id)
            from (
                select u.document_id, min(u.place) as place
                from unnest(_found) with ordinality as u (document_id, place)
                group by u.document_id
            ) as f
            order by f.place
        );
        _gains := array(
            select coalesce(v.grade, 0)
            from unnest(_documents) with ordinality as u (document_key, place)
            left join eval.verdict as v
                on u.document_key = v.document_key and v.question_id = _question.question_id
            order by u.place
        );
        _judged := array(
            select v.grade from eval.verdict as v where v.question_id = _question.question_id
        );
        insert into eval.outcome (
            run_id, question_key, kind, split, documents, milliseconds, ndcg_10, recall_8,
            recall_50, reciprocal_rank, nothing_was_right, forbidden_shown
        )
        values (
            _run.run_id, _question.question_key, _question.kind, _question.split, _documents,
            _milliseconds,
            eval.ndcg(_gains, _judged, 10),
            eval.recall(_gains, _judged, 8),
            eval.recall(_gains, _judged, 50),
            eval.reciprocal_rank(_gains, _judged),
            case
                when not exists (select from unnest(_judged) as j (grade) where j.grade > 0)
                    then cardinality(_documents) = 0
            end,
            (
                select count(*)
                from eval.verdict as v
                where
                    v.question_id = _question.question_id
                    and v.forbidden
                    and v.document_key = any(_documents)
            )
        );
    end loop;
    perform eval.use_settings(_before);

    select count(*) into _left
    from eval.question as q
    where
        q.question_set_id = _set_id
        and not exists (
            select
            from eval.outcome as o
            where o.run_id = _run.run_id and o.question_key = q.question_key
        );
    return _left;
end;
$func$;

comment on function eval.answer is
'Ask the next questions of a run the way a person''s question is asked, judge the answers and store both; returns how many questions are left.';
