-- intake.receive_upload
-- Take in a file whose bytes lie in the spool: what is said of it is checked, a worker reads it; the key to ask for it by.
--
-- The same bytes of the same scope, with the same facts, that are being read or whose text is
-- published are not taken twice: joined is true, the key is the other's, and these bytes may go.
-- However many arrive together, one is taken. With other facts they are read: they may correct.
--
-- definer because  the app may hand in a file, but touch neither queue nor documents
-- called by  app/admin/calls.py
-- writes     intake.upload, queue.task, corpus.scope, audit.event
-- locks      advisory: the bytes within the scope, until the transaction ends
-- raises     UL001 a file that cannot be, UL002 a code and a name of two authorities,
--            KB002 unknown tag, KB004 unknown kind of publisher, KB006 the school is another
--            authority's, PL001, PL002

create or replace function intake.receive_upload(
    spool_name text,
    file_name text,
    sha256 bytea,
    byte_count bigint,
    kind text default 'file',
    la_code text default null,
    local_authority text default null,
    school_urn text default null,
    title text default null,
    tags text[] default '{}',
    authority text default null,
    document_type text default null,
    effective_date date default null
)
returns table (upload_key uuid, joined boolean)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _name text := intake.display_name(receive_upload.file_name);
    _title text := left(nullif(btrim(receive_upload.title), ''), 300);
    _tags text[] := corpus.check_tags(receive_upload.tags);
    _authority text := nullif(btrim(receive_upload.authority), '');
    _type text := nullif(btrim(receive_upload.document_type), '');
    _la_code text := intake.settle_place(receive_upload.la_code, receive_upload.local_authority);
    _urn text := nullif(btrim(receive_upload.school_urn), '');
    _scope_id bigint;
    _upload_id bigint;
begin
    if coalesce(receive_upload.byte_count, 0) <= 0 then
        raise exception 'the file is empty'
            using errcode = 'UL001', hint = 'Choose a file that holds something.';
    end if;
    if receive_upload.kind = 'archive' and _title is not null then
        raise exception 'a title is for one document, and this is an archive'
            using errcode = 'UL001', hint = 'Leave the title out.';
    end if;
    perform corpus.check_rank(_authority);
    _scope_id := corpus.scope_for(_la_code, _urn);

    perform pg_advisory_xact_lock(
        hashtextextended(_scope_id || ' upload ' || encode(receive_upload.sha256, 'hex'), 5)
    );
    select u.upload_key into upload_key
    from intake.upload as u
    left join intake.upload_file as f on u.upload_id = f.upload_id and u.kind = 'file'
    left join corpus.version as v on f.version_id = v.version_id
    where
        u.sha256 = receive_upload.sha256
        and u.scope_id = _scope_id
        and u.kind = receive_upload.kind
        and (u.title, u.tags, u.authority, u.document_type, u.effective_date)
        is not distinct from
        (_title, _tags, _authority, _type, receive_upload.effective_date)
        and case
            when u.finished_at is null then exists (
                select from queue.task as t
                where t.kind = 'read_upload' and t.subject_id = u.upload_id and not t.dead
            )
            when v.state = 'staged' then exists (
                select from queue.task as t
                where t.kind = 'publish_version' and t.subject_id = v.version_id and not t.dead
            )
            -- what curators took out altogether is nothing to point at
            else v.state = 'published' and exists (
                select
                from corpus.chunk as c
                inner join corpus.chunk_fact as x on c.chunk_id = x.chunk_id
                where c.version_id = v.version_id and x.status in ('pending', 'approved')
            )
        end
    order by u.upload_id
    limit 1;
    joined := found;
    if not joined then
        insert into intake.upload as u (
            kind, spool_name, file_name, sha256, byte_count, scope_id, la_code, school_urn, title,
            tags, authority, document_type, effective_date, handed_in_by
        )
        values (
            receive_upload.kind, receive_upload.spool_name, _name, receive_upload.sha256,
            receive_upload.byte_count, _scope_id, _la_code, _urn, _title, _tags, _authority, _type,
            receive_upload.effective_date, audit.actor()
        )
        returning u.upload_id, u.upload_key into _upload_id, upload_key;
        perform queue.enqueue('read_upload', _upload_id);
        perform audit.write_event(
            'upload_received', 'upload ' || _upload_id,
            jsonb_build_object('file_name', _name, 'bytes', receive_upload.byte_count)
        );
    end if;
    return next;
end;
$func$;

comment on function intake.receive_upload is
'Take in a file whose bytes lie in the spool: what is said of it is checked, a worker reads it; the key to ask for it by.';
