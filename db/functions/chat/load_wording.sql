-- chat.load_wording
-- Set what a chat says in the domain of a pack.
--
-- called by  ingest/packs/calls.py
-- writes     chat.wording
-- raises     TE004 a text that is blank

create or replace function chat.load_wording(
    pack text,
    system_prompt text,
    no_area_disclaimer text,
    not_found text
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if coalesce(load_wording.system_prompt, '') !~ '\S'
        or coalesce(load_wording.no_area_disclaimer, '') !~ '\S'
        or coalesce(load_wording.not_found, '') !~ '\S'
    then
        raise exception 'a text of the chat is blank'
            using errcode = 'TE004',
                  hint = 'Give system_prompt, no_area_disclaimer and not_found.';
    end if;
    insert into chat.wording as w (pack, system_prompt, no_area_disclaimer, not_found)
    values (
        load_wording.pack, btrim(load_wording.system_prompt, E' \n'),
        btrim(load_wording.no_area_disclaimer, E' \n'), btrim(load_wording.not_found, E' \n')
    )
    on conflict on constraint wording_pkey do update set
        system_prompt = excluded.system_prompt,
        no_area_disclaimer = excluded.no_area_disclaimer,
        not_found = excluded.not_found;
end;
$func$;

comment on function chat.load_wording is 'Set what a chat says in the domain of a pack.';
