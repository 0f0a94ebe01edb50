-- privacy.export_person
-- Everything that is held of a person, as one JSON document; passwords and tokens are not in it.
--
-- Search records name nobody, so none can be handed over. Of a question asked before only its
-- fingerprint is kept, and of a private document its facts; the text is what the person gave.
-- Writes nothing: runs in a read-only transaction and on a standby.
--
-- definer because  a person gets what is theirs, and the app reads none of these tables
-- called by  app/access/calls.py
-- raises     PE006 no such person

create or replace function privacy.export_person(person_id uuid)
returns jsonb
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _principal text := 'person:' || export_person.person_id;
    _account jsonb;
begin
    select jsonb_build_object(
        'person_id', p.person_id,
        'email', p.email,
        'role', p.role,
        'school_urn', p.school_urn,
        'created_at', p.created_at,
        'disabled_at', p.disabled_at,
        'password_changed_at', h.changed_at
    ) into _account
    from account.person as p
    left join account.password as h on p.person_id = h.person_id
    where p.person_id = export_person.person_id;
    if not found then
        raise exception 'there is no such person'
            using errcode = 'PE006', hint = 'Look at the list of people: the account may be gone.';
    end if;
    return jsonb_build_object(
        'account', _account,
        'children', (
            select coalesce(jsonb_agg(to_jsonb(c) - 'person_id' order by c.created_at), '[]')
            from account.child as c
            where c.person_id = export_person.person_id
        ),
        'sessions', (
            select coalesce(jsonb_agg(to_jsonb(s) - 'person_id' order by s.created_at), '[]')
            from account.session as s
            where s.person_id = export_person.person_id
        ),
        'private_documents', (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'document_id', d.document_id,
                        'source', d.source,
                        'title', v.title,
                        'version', v.version,
                        'state', v.state,
                        'staged_at', v.staged_at,
                        'shared_with', s.principals
                    )
                    order by d.document_id, v.version
                ),
                '[]'
            )
            from corpus.scope as s
            inner join corpus.document as d on s.scope_id = d.scope_id
            inner join corpus.version as v on d.document_id = v.document_id
            where s.kind = 'private' and s.owner = _principal
        ),
        'batches', (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'batch_id', b.batch_id,
                        'created_at', b.created_at,
                        'urls', (
                            select jsonb_agg(g.url order by g.position)
                            from intake.page as g
                            where g.batch_id = b.batch_id
                        )
                    )
                    order by b.created_at
                ),
                '[]'
            )
            from intake.batch as b
            where _principal in (b.owner, b.handed_in_by)
        ),
        'uploads', (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'file_name', u.file_name, 'title', u.title, 'created_at', u.created_at
                    )
                    order by u.created_at
                ),
                '[]'
            )
            from intake.upload as u
            where u.handed_in_by = _principal
        ),
        'runs', (
            select coalesce(jsonb_agg(to_jsonb(r) order by r.created_at), '[]')
            from (
                select 'validation' as kind, v.run_id as key, v.created_at
                from validation.run as v
                where v.requested_by = _principal
                union all
                select 'crawl', j.job_id, j.created_at
                from crawl.job as j
                where j.requested_by = _principal
            ) as r
        ),
        'conversations', (
            select coalesce(
                jsonb_agg(
                    to_jsonb(c) - 'person_id' || jsonb_build_object('turns', (
                        select coalesce(
                            jsonb_agg(
                                to_jsonb(t) - 'conversation_id' || jsonb_build_object(
                                    'cited', (
                                        select coalesce(jsonb_agg(s.chunk_id), '[]')
                                        from chat.source as s
                                        where s.turn_id = t.turn_id and s.is_cited
                                    ),
                                    'trace', (
                                        select to_jsonb(r) - 'turn_id'
                                        from chat.trace as r
                                        where r.turn_id = t.turn_id
                                    )
                                )
                                order by t.turn_id
                            ),
                            '[]'
                        )
                        from chat.turn as t
                        where t.conversation_id = c.conversation_id
                    ))
                    order by c.started_at
                ),
                '[]'
            )
            from chat.conversation as c
            where c.person_id = export_person.person_id
        ),
        'cached_questions', (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'fingerprint', encode(q.question_hash, 'hex'), 'expires_at', q.expires_at
                    )
                    order by q.expires_at
                ),
                '[]'
            )
            from embedding.query_cache as q
            where q.viewer = _principal
        ),
        'events', (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'at', e.at, 'kind', e.kind, 'subject', e.subject, 'detail', e.detail
                    )
                    order by e.event_id
                ),
                '[]'
            )
            from audit.event as e
            where
                e.subject = 'person ' || export_person.person_id
                or (e.actor = _principal and e.actor like 'person:%')
        )
    );
end;
$func$;

comment on function privacy.export_person is
'Everything that is held of a person, as one JSON document; passwords and tokens are not in it.';
