-- corpus.scope_for
-- The scope of a document for these readers, made when it is new.
--
-- called by  corpus.stage_document, intake.create_batch, intake.receive_upload, ingest/calls.py
-- writes     corpus.scope
-- raises     PL001 unknown authority, PL002 unknown school, KB006 the school is another authority's

create or replace function corpus.scope_for(
    la_code text default null,
    school_urn text default null,
    owner text default null,
    principals text[] default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _urn text := nullif(btrim(scope_for.school_urn), '');
    _school_la text := place.check_school(_urn);
    _given text := upper(nullif(btrim(scope_for.la_code), ''));
    _la text;
    _owner text := nullif(btrim(scope_for.owner), '');
    _principals text[];
    _kind text;
    _scope_id bigint;
begin
    begin
        _la := place.resolve_authority(_given);
    exception when sqlstate 'PL003' then
        -- an authority that was split: its documents stay under the old code and are found
        -- from each of its successors
        select coalesce(
            (select a.gss from place.authority as a where a.gss = _given),
            (select d.authority_gss from place.district as d where d.lad_gss = _given),
            (select max(a.gss) from place.authority as a where a.dfe_code = _given)
        ) into _la;
    end;
    if _school_la is not null then
        if _la is not null and _la <> place.resolve_authority(_school_la) then
            raise exception 'school % does not belong to authority %', _urn, _given
                using errcode = 'KB006',
                      hint = format('Leave the authority out, or give %s.', _school_la);
        end if;
        _la := place.resolve_authority(_school_la);
    end if;
    if _owner is null and coalesce(cardinality(scope_for.principals), 0) > 0 then
        raise exception 'a shared document needs an owner'
            using errcode = 'KB007', hint = 'Name the owner, or leave the principals out.';
    end if;
    _kind := case
        when _owner is not null then 'private'
        when _urn is not null then 'school'
        when _la is not null then 'la'
        else 'national'
    end;
    select coalesce(array_agg(distinct p.principal order by p.principal), '{}') into _principals
    from unnest(scope_for.principals) as p (principal)
    where p.principal ~ '\S' and p.principal is distinct from _owner;

    insert into corpus.scope (kind, la_code, school_urn, owner, principals)
    values (_kind, _la, _urn, _owner, _principals)
    on conflict do nothing
    returning scope_id into _scope_id;
    if _scope_id is null then
        select s.scope_id into strict _scope_id
        from corpus.scope as s
        where
            s.kind = _kind
            and s.la_code is not distinct from _la
            and s.school_urn is not distinct from _urn
            and s.owner is not distinct from _owner
            and s.principals = _principals;
    end if;
    return _scope_id;
end;
$func$;

comment on function corpus.scope_for is
'The scope of a document for these readers, made when it is new.';
