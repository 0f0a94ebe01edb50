-- validation.judge_document
-- The verdict of a run on one document, carried out unless the run is dry.
--
-- called by  validation.judge_batch, which holds the locks
-- writes     validation.verdict, corpus.chunk_fact, audit.event

create or replace function validation.judge_document(run validation.run, document_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _version_id bigint;
    _undecided bigint[];
    _parts jsonb;
    _confidence double precision;
    _verdict text := 'leave';
    _reason text;
    _changed integer := 0;
begin
    select v.version_id into _version_id
    from corpus.version as v
    where v.document_id = judge_document.document_id and v.state = 'published';
    select array_agg(f.chunk_id order by f.chunk_id) into _undecided
    from corpus.chunk as c
    inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    where c.version_id = _version_id and f.status = 'pending';
    if _undecided is null then
        _reason := case
            when _version_id is null then 'no version of it is published any more'
            else 'people have decided on all of its passages'
        end;
    else
        select
            jsonb_agg(jsonb_build_object(
                'part', w.part, 'score', round(w.score::numeric, 3), 'explanation', w.explanation
            ) order by w.score, w.part),
            -- sum of logarithms, for want of a product; a score of 0 is a confidence of 0
            case when min(w.score) <= 0 then 0 else exp(sum(ln(greatest(w.score, 1e-9)))) end
        into _parts, _confidence
        from validation.weigh_version(_version_id) as w;
        -- what people read is what is compared
        _confidence := round(_confidence::numeric, 3);
        _verdict := case
            when _confidence >= (judge_document.run).threshold then 'approve' else 'flag'
        end;
        _reason := format(
            'confidence %s %s threshold %s; lowest: %s',
            _confidence,
            case when _verdict = 'approve' then 'reaches' else 'is below' end,
            (judge_document.run).threshold,
            _parts -> 0 ->> 'explanation'
        );
        if not (judge_document.run).dry_run then
            _changed := corpus.set_status(
                _undecided,
                case when _verdict = 'approve' then 'approved' else 'flagged' end,
                (judge_document.run).requested_by,
                'validation run ' || (judge_document.run).run_id || ': ' || _reason
            );
        end if;
    end if;
    insert into validation.verdict (
        run_id, document_id, version_id, verdict, confidence, parts, changed, reason
    )
    select
        (judge_document.run).run_id, d.document_id, _version_id, _verdict, _confidence,
        coalesce(_parts, '[]'), _changed, _reason
    from corpus.document as d
    where d.document_id = judge_document.document_id;
end;
$func$;

comment on function validation.judge_document is
'The verdict of a run on one document, carried out unless the run is dry.';
