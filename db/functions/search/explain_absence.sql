-- search.explain_absence
-- Why a chunk is not in the answer of a retrieval, or at which place it is: one verdict, the reason in words, the facts.
--
-- A chunk out of reach is told from one that does not exist to admins only.
-- Verdicts, first that holds: in_answer; no_such_chunk, out_of_scope, not_published, superseded,
-- status, not_in_force, tags (it was not looked at); under_relevance_floor, same_text,
-- document_full, beyond_top_k (it was a candidate); missed_by_index, others_nearer,
-- other_words_better, only_vector_hits, under_retrieval_floor, no_vector, no_word_matches (no leg
-- brought it: what came closest to bringing it). context_only says that it is read all the same.
--
-- called by  public.why_not
-- raises     ST002 unusable setting

create or replace function search.explain_absence(retrieval search.retrieval, chunk_id bigint)
returns table (verdict text, reason text, place integer, facts jsonb)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _asked search.request := (explain_absence.retrieval).request;
    _last search.attempt := (explain_absence.retrieval).attempts[
        cardinality((explain_absence.retrieval).attempts)
    ];
    _scope_ids bigint[] := array(
        select s.scope_id from unnest((explain_absence.retrieval).scopes) as s
    );
    _reach text := (
        select string_agg(distinct s.label, ', ' order by s.label)
        from unnest((explain_absence.retrieval).scopes) as s
    );
    _chunk record;
    _hit search.ranked_hit;
    _beside search.ranked_hit;
    _missed record;
begin
    select
        c.chunk_id, c.version_id, c.document_id, c.scope_id, c.chunk_index,
        v.state, v.version, v.valid_from, v.valid_to, f.status, f.tags,
        s.kind, s.la_code, s.school_urn, n.version as next_version,
        n.document_id as next_document_id,
        c.scope_id = any(_scope_ids) as in_reach
    into _chunk
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    inner join corpus.scope as s on c.scope_id = s.scope_id
    left join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    left join corpus.version as n on v.superseded_by = n.version_id
    where
        c.chunk_id = explain_absence.chunk_id
        and (c.scope_id = any(_scope_ids) or search.caller_is_admin());

    select h.* into _hit
    from unnest((explain_absence.retrieval).hits) as h
    where h.chunk_id = explain_absence.chunk_id;

    facts := jsonb_strip_nulls(
        to_jsonb(_chunk) - '{next_version,next_document_id}'::text[]
    ) || coalesce(jsonb_strip_nulls(to_jsonb(_hit) - 'content_hash'), '{}');
    place := _hit.place;
    if place is not null then
        verdict := 'in_answer';
        reason := format('it is at place %s of %s', place, _last.chosen);
        return next;
        return;
    end if;

    if _chunk.chunk_id is null then
        verdict := 'no_such_chunk';
        reason := format(
            'there is no chunk %s in what this call may see (%s)',
            coalesce(explain_absence.chunk_id::text, 'NULL'), _reach
        );
        facts := '{}';
    elsif not _chunk.in_reach then
        verdict := 'out_of_scope';
        reason := format(
            'it is %s, this call may see %s',
            concat_ws(' ', _chunk.kind, _chunk.la_code, _chunk.school_urn), _reach
        );
    elsif _chunk.state = 'staged' then
        verdict := 'not_published';
        reason := format('version %s of its document is not published', _chunk.version);
    elsif _asked.as_of is null and _chunk.state = 'superseded' then
        verdict := 'superseded';
        reason := format(
            'its version %s gave way to version %s%s', _chunk.version,
            coalesce(_chunk.next_version::text, 'that is gone'),
            case
                when _chunk.next_document_id <> _chunk.document_id
                    then format(' of document %s', _chunk.next_document_id)
            end
        );
    elsif _chunk.status <> all(_asked.statuses) and _chunk.status <> 'superseded' then
        verdict := 'status';
        reason := format(
            'it is %s, this call shows %s', _chunk.status, array_to_string(_asked.statuses, ', ')
        );
    elsif _asked.as_of is not null and _chunk.chunk_id not in (
        select a.chunk_id
        from search.chunks_as_of(
            _asked.as_of, array[_chunk.scope_id], _asked.statuses
        ) as a (chunk_id)
    ) then
        verdict := 'not_in_force';
        reason := format(
            'its version %s is in force from %s%s, not on %s', _chunk.version,
            coalesce(_chunk.valid_from::text, 'an unknown day'), ' to ' || _chunk.valid_to,
            _asked.as_of
        );
    elsif not coalesce(_chunk.tags && _last.tags, true) then
        verdict := 'tags';
        reason := format(
            'it has none of the tags %s, only %s', array_to_string(_last.tags, ', '),
            coalesce(nullif(array_to_string(_chunk.tags, ', '), ''), 'none')
        );
    elsif _hit.dropped_at is not null then
        verdict := case _hit.dropped_at
            when 'floor' then 'under_relevance_floor'
            when 'top_k' then 'beyond_top_k'
            else _hit.dropped_at
        end;
        reason := _hit.dropped_because;
    else
        select m.* into _missed
        from search.explain_miss(
            explain_absence.retrieval, explain_absence.chunk_id
        ) as m;
        verdict := _missed.verdict;
        reason := _missed.reason;
        facts := facts || _missed.facts;
    end if;

    -- who reads the answer may see it all the same, beside a chunk that is in it
    if _chunk.in_reach and config.value('kb.chunk_expansion_enabled')::boolean
        and verdict not in ('not_published', 'superseded', 'status', 'not_in_force')
    then
        select h.* into _beside
        from unnest((explain_absence.retrieval).hits) as h
        inner join corpus.chunk as c on h.chunk_id = c.chunk_id
        where
            h.place is not null
            and c.version_id = _chunk.version_id
            and abs(c.chunk_index - _chunk.chunk_index) = 1
        order by h.place
        limit 1;
        if found then
            facts := facts || jsonb_build_object('by_itself', verdict);
            verdict := 'context_only';
            reason := format(
                'only in the context of chunk %s at place %s; by itself: %s',
                _beside.chunk_id, _beside.place, reason
            );
        end if;
    end if;
    return next;
end;
$func$;

comment on function search.explain_absence is
'Why a chunk is not in the answer of a retrieval, or at which place it is: one verdict, the reason in words, the facts.';
