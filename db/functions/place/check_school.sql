-- place.check_school
-- The authority of a school; refuse a school that is not known.
--
-- called by  corpus.scope_for, search.visible_scopes, search.scope_of, corpus.stage_document,
--            account.add_person, account.child_facts, account.set_school, crawl.set_site,
--            crawl.site_for
-- raises     PL002 unknown school

create or replace function place.check_school(urn text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _la_code text;
begin
    if check_school.urn is null then
        return null;
    end if;
    select s.la_code into _la_code from place.school as s where s.urn = btrim(check_school.urn);
    if not found then
        raise exception 'school "%" is not known', left(check_school.urn, 40)
            using errcode = 'PL002',
                  detail = 'A school is named by its unique reference number of six digits.',
                  hint = 'Look it up: select urn, name from place.school order by name;';
    end if;
    return _la_code;
end;
$func$;

comment on function place.check_school is
'The authority of a school; refuse a school that is not known.';
