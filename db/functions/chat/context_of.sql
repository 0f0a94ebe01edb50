-- chat.context_of
-- What is known before a question is searched for: whose rules hold, what was said before, what to search for, and the words of the domain.
--
-- The place is what this request names; else what an earlier request of this conversation named,
-- unless a child is named now or was named since; else the profile's, for which a postcode is the last resort. What a
-- request names must be known, what a profile holds and is not known is passed over. Of several
-- packs the one loaded last speaks.
-- Writes nothing: runs in a read-only transaction and on a standby.
--
-- definer because  nobody may read turns but by way of whose they are
-- called by  app/chat/calls.py
-- raises     TK001 no such conversation of theirs, PE007 no such child of theirs, PL001 unknown authority, PL002 unknown school, PL003 the authority was split, PL005 a postcode that tells no
--            authority

create or replace function chat.context_of(
    question text,
    conversation_id uuid default null,
    person_id uuid default null,
    child_id uuid default null,
    la text default null,
    home_la text default null,
    urn text default null,
    postcode text default null,
    turns integer default 4
)
returns table (
    la_code text,
    la_name text,
    home_la_code text,
    home_la_name text,
    school_urn text,
    school_name text,
    place_from text,
    child uuid,
    history jsonb,
    standalone text,
    system_prompt text,
    no_area_disclaimer text,
    not_found text
)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _earlier chat.turn;
    _profile record;
    _la text := context_of.la;
    _home_la text := context_of.home_la;
    _urn text := context_of.urn;
    _postcode text := context_of.postcode;
begin
    child := context_of.child_id;
    history := '[]';
    standalone := btrim(context_of.question);
    place_from := case
        when concat(_la, _home_la, _urn, _postcode) ~ '\S' then 'request' else 'none'
    end;
    if context_of.conversation_id is not null then
        child := coalesce(
            child,
            (chat.own_conversation(context_of.conversation_id, context_of.person_id)).child_id
        );
        history := (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object('question', t.question, 'answer', t.answer)
                    order by t.turn_id
                ),
                '[]'
            )
            from (
                select r.turn_id, r.question, r.answer
                from chat.turn as r
                where
                    r.conversation_id = context_of.conversation_id
                    and r.state <> 'running'
                order by r.turn_id desc
                limit greatest(context_of.turns, 0)
            ) as t
        );
        standalone := chat.standalone_question(
            context_of.question,
            array(select e.value ->> 'question' from jsonb_array_elements(history) as e)
        );
        if place_from = 'none' and context_of.child_id is null then
            -- the last turn only: behind one about a named child lies the place of somebody else
            select r.* into _earlier
            from chat.turn as r
            where r.conversation_id = context_of.conversation_id
            order by r.turn_id desc
            limit 1;
            if _earlier.place_from in ('request', 'conversation') then
                place_from := 'conversation';
                _la := _earlier.la_code;
                _home_la := _earlier.home_la_code;
                _urn := _earlier.school_urn;
            end if;
        end if;
    end if;

    if context_of.child_id is not null then
        perform account.refuse_foreign(context_of.person_id, context_of.child_id);
    end if;
    if place_from <> 'conversation' and context_of.person_id is not null
        and concat(_la, _home_la, _urn) !~ '\S'
    then
        select r.* into _profile
        from account.place_of(
            person_id => context_of.person_id, child_id => child, postcode => _postcode
        ) as r;
        if _profile.source <> 'none' then
            place_from := case
                when _profile.source = 'postcode' and _postcode ~ '\S' then 'request'
                else 'profile'
            end;
            _la := _profile.la_code;
            _home_la := _profile.home_la_code;
            _urn := _profile.school_urn;
            _postcode := null;
        end if;
    end if;

    select s.la_code, s.la_name, s.home_la_code, s.home_la_name, s.school_urn, s.school_name
    into la_code, la_name, home_la_code, home_la_name, school_urn, school_name
    from search.scope_of(la => _la, home_la => _home_la, urn => _urn, postcode => _postcode) as s;

    select w.system_prompt, w.no_area_disclaimer, w.not_found
    into system_prompt, no_area_disclaimer, not_found
    from chat.wording as w
    inner join terms.pack as p on w.pack = p.pack
    order by p.loaded_at desc, p.pack
    limit 1;
    return next;
end;
$func$;

comment on function chat.context_of is
'What is known before a question is searched for: whose rules hold, what was said before, what to search for, and the words of the domain.';
