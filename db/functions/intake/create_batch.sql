-- intake.create_batch
-- Hand in addresses to be fetched, parsed and published by workers; the key to ask for them by.
--
-- An address given twice is fetched once. One that cannot be fetched is refused for itself and
-- stops no other; what is said about all of them is checked here and refuses the batch.
--
-- definer because  the app may hand in addresses, but touch neither queue nor documents
-- called by  ingest/intake/calls.py, app/admin/calls.py
-- writes     intake.batch, intake.page, queue.task, corpus.scope, audit.event
-- raises     IN002 no address or too many, KB002 unknown tag, KB004 unknown kind of publisher,
--            KB006 the school is another authority's, KB007 a share without an owner, PL001, PL002

create or replace function intake.create_batch(
    urls text[],
    la_code text default null,
    school_urn text default null,
    owner text default null,
    principals text[] default null,
    tags text[] default '{}',
    authority text default null,
    document_type text default null
)
returns uuid
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _most constant integer := 1000;
    _given integer;
    _tags text[] := corpus.check_tags(create_batch.tags);
    _authority text := nullif(btrim(create_batch.authority), '');
    _batch_id uuid;
begin
    select count(*) into _given
    from unnest(create_batch.urls) as u (url)
    where u.url ~ '\S';
    if _given not between 1 and _most then
        raise exception 'a batch of % addresses', _given
            using errcode = 'IN002',
                  hint = format('Give 1 to %s addresses; split a longer list.', _most);
    end if;
    perform corpus.check_rank(_authority);
    perform corpus.scope_for(
        create_batch.la_code, create_batch.school_urn, create_batch.owner, create_batch.principals
    );

    insert into intake.batch as b (
        la_code, school_urn, owner, principals, tags, authority, document_type, handed_in_by
    )
    values (
        create_batch.la_code, create_batch.school_urn, create_batch.owner,
        create_batch.principals, _tags, _authority,
        nullif(btrim(create_batch.document_type), ''), audit.actor()
    )
    returning b.batch_id into _batch_id;

    insert into intake.page as p (batch_id, position, url, outcome, reason, finished_at)
    select
        _batch_id,
        row_number() over (order by k.ordinal),
        coalesce(k.tidy, k.url),
        case when k.tidy is null then 'refused' end,
        case
            when k.tidy is null
                then 'no address that can be fetched: give http:// or https://, a host, no '
                    || 'password, at most 2000 characters'
        end,
        case when k.tidy is null then clock_timestamp() end
    from (
        select distinct on (coalesce(t.tidy, t.url))
            t.tidy, t.url, t.ordinal
        from (
            select
                intake.tidy_url(u.url) as tidy,
                -- what stands before an @ may be a password
                left(regexp_replace(btrim(u.url), '//[^/]*@', '//…@'), 2000) as url,
                u.ordinal
            from unnest(create_batch.urls) with ordinality as u (url, ordinal)
            where u.url ~ '\S'
        ) as t
        order by coalesce(t.tidy, t.url), t.ordinal
    ) as k;
    perform queue.enqueue('fetch_page', p.page_id)
    from (
        select n.page_id
        from intake.page as n
        where n.batch_id = _batch_id and n.outcome is null
        order by n.position
    ) as p;
    perform audit.write_event(
        'batch_received', 'batch ' || _batch_id, jsonb_build_object('addresses', _given)
    );
    return _batch_id;
end;
$func$;

comment on function intake.create_batch is
'Hand in addresses to be fetched, parsed and published by workers; the key to ask for them by.';
