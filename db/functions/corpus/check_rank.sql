-- corpus.check_rank
-- Refuse a kind of publisher that no pack names.
--
-- called by  corpus.stage_document, corpus.load_domains, intake.create_batch, ingest/calls.py,
--            intake.receive_upload
-- raises     KB004 unknown kind of publisher

create or replace function corpus.check_rank(authority text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if check_rank.authority is not null
        and not exists (
            select from corpus.authority_rank as r where r.authority = check_rank.authority
        )
    then
        raise exception 'publisher kind "%" is not known', left(check_rank.authority, 40)
            using errcode = 'KB004',
                  hint = coalesce(
                      'Give one of ' || (
                          select string_agg(r.authority, ', ' order by r.weight desc)
                          from corpus.authority_rank as r
                      ) || '.',
                      'Load a pack first: pgkb pack load packs/send'
                  );
    end if;
end;
$func$;

comment on function corpus.check_rank is
'Refuse a kind of publisher that no pack names.';
