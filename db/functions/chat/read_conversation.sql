-- chat.read_conversation
-- The turns of a person's conversation in order, each with the sources of its answer.
--
-- A source is {number, cited, chunk_id, title, source, version, is_current}; of a passage that is
-- gone, or was rejected or flagged since, only number, cited and chunk_id stay.
--
-- definer because  nobody may read turns but by way of whose they are
-- called by  app/chat/calls.py
-- raises     TK001 no such conversation of theirs, ST002 unusable setting

create or replace function chat.read_conversation(conversation_id uuid, person_id uuid)
returns table (
    turn_id bigint,
    question text,
    standalone text,
    state text,
    answer text,
    answered_by text,
    la_code text,
    home_la_code text,
    school_urn text,
    asked_at timestamptz,
    finished_at timestamptz,
    sources jsonb
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _visible text[] := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
begin
    perform chat.own_conversation(read_conversation.conversation_id, read_conversation.person_id);
    return query
    select
        t.turn_id,
        t.question,
        t.standalone,
        t.state,
        t.answer,
        t.answered_by,
        t.la_code,
        t.home_la_code,
        t.school_urn,
        t.asked_at,
        t.finished_at,
        coalesce(s.sources, '[]')
    from chat.turn as t
    left join lateral (
        select
            jsonb_agg(
                jsonb_build_object('number', o.number, 'cited', o.is_cited, 'chunk_id', o.chunk_id)
                || case
                    when f.chunk_id is not null then jsonb_build_object(
                        'title', v.title,
                        'source', d.source,
                        'version', v.version,
                        'is_current', v.state = 'published'
                    )
                    else '{}'
                end
                order by o.number
            ) as sources
        from chat.source as o
        left join corpus.chunk as c on o.chunk_id = c.chunk_id
        left join corpus.version as v
            on c.version_id = v.version_id and v.state in ('published', 'superseded')
        left join corpus.document as d on v.document_id = d.document_id
        left join corpus.chunk_fact as f
            on
                c.chunk_id = f.chunk_id
                and v.version_id is not null
                and coalesce(f.status_before, f.status) = any(_visible)
        where o.turn_id = t.turn_id
    ) as s on true
    where t.conversation_id = read_conversation.conversation_id
    order by t.turn_id;
end;
$func$;

comment on function chat.read_conversation is
'The turns of a person''s conversation in order, each with the sources of its answer.';
