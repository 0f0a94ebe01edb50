-- intake.display_name
-- A file's name as it may be shown and kept: its last part, in one line, without invisible or control characters, at most 200 characters.
--
-- called by  intake.receive_upload
-- raises     UL001 a name of which nothing is left

create or replace function intake.display_name(given text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _name text := regexp_replace(coalesce(display_name.given, ''), '^.*[/\\]', '');
    _ending text;
begin
    -- direction marks make a name read as another: exe.fdp
    _name := regexp_replace(
        _name,
        E'[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]', '', 'g'
    );
    _name := btrim(regexp_replace(_name, E'[[:cntrl:][:space:]]+', ' ', 'g'));
    if _name ~ '^\.*$' then
        raise exception 'the file has no name'
            using errcode = 'UL001', hint = 'Give it a name, e.g. filename="policy.pdf".';
    end if;
    _ending := coalesce(substring(_name from '\.[[:alnum:]]{1,8}$'), '');
    if length(_name) > 200 then
        _name := btrim(left(_name, 199 - length(_ending))) || '…' || _ending;
    end if;
    return _name;
end;
$func$;

comment on function intake.display_name is
'A file''s name as it may be shown and kept: its last part, in one line, without invisible or control characters, at most 200 characters.';
