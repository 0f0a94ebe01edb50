-- chat.finish_turn
-- Note how a running turn ended, with its sources and its trace; false when it is over or gone already.
--
-- sources is a list of {number, chunk_id, cited}; trace an object with keys named as the columns
-- of chat.trace. Timings are kept where they are numbers under the name of a step.
--
-- definer because  nobody may write turns by hand
-- called by  app/chat/calls.py
-- writes     chat.turn, chat.source, chat.trace
-- locks      the row of the turn
-- raises     TK003 a state no turn ends in

create or replace function chat.finish_turn(
    turn_id bigint,
    state text,
    answer text default null,
    answered_by text default null,
    standalone text default null,
    sources jsonb default '[]',
    trace jsonb default '{}'
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
begin
    if coalesce(finish_turn.state, '') not in ('answered', 'not_found', 'interrupted', 'failed') then
        raise exception 'a turn cannot end as %', coalesce(quote_literal(finish_turn.state), 'NULL')
            using errcode = 'TK003', hint = 'Use answered, not_found, interrupted or failed.';
    end if;
    update chat.turn as t
    set
        state = finish_turn.state,
        answer = finish_turn.answer,
        answered_by = finish_turn.answered_by,
        standalone = nullif(finish_turn.standalone, t.question),
        finished_at = clock_timestamp()
    where t.turn_id = finish_turn.turn_id and t.state = 'running';
    if not found then
        return false;
    end if;
    insert into chat.source (turn_id, number, chunk_id, is_cited)
    select finish_turn.turn_id, s.number, s.chunk_id, coalesce(s.cited, false)
    from jsonb_to_recordset(finish_turn.sources)
        as s (number integer, chunk_id bigint, cited boolean);
    insert into chat.trace (
        turn_id, model, search_mode, degraded, searches, sources, cited, dropped_citations,
        sentences, unsupported_sentences, prompt_tokens, completion_tokens, timings
    )
    select
        finish_turn.turn_id,
        r.model,
        r.search_mode,
        coalesce(r.degraded, '{}'),
        coalesce(r.searches, 0),
        jsonb_array_length(finish_turn.sources),
        (
            select count(*)
            from jsonb_array_elements(finish_turn.sources) as s
            where (s.value ->> 'cited')::boolean
        ),
        coalesce(r.dropped_citations, 0),
        coalesce(r.sentences, 0),
        coalesce(r.unsupported_sentences, 0),
        r.prompt_tokens,
        r.completion_tokens,
        (
            select coalesce(jsonb_object_agg(e.key, e.value), '{}')
            from jsonb_each(
                case jsonb_typeof(r.timings) when 'object' then r.timings end
            ) as e
            where e.key ~ '^[a-z][a-z_]{0,39}$' and jsonb_typeof(e.value) = 'number'
        )
    from jsonb_to_record(finish_turn.trace) as r (
        model text,
        search_mode text,
        degraded text[],
        searches integer,
        dropped_citations integer,
        sentences integer,
        unsupported_sentences integer,
        prompt_tokens integer,
        completion_tokens integer,
        timings jsonb
    );
    return true;
end;
$func$;

comment on function chat.finish_turn is
'Note how a running turn ended, with its sources and its trace; false when it is over or gone already.';
