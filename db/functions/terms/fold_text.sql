-- terms.fold_text
-- One spelling for matching: lower case, NFKC, straight quotes, single spaces, no invisible characters, no line-end hyphens.
--
-- called by  terms.*, corpus.list_documents, embedding.question_hash, search.hash_question,
--            search.record_search, chat.standalone_question, place.authority_named,
--            corpus.fold_title
-- raises     nothing

create or replace function terms.fold_text(content text)
returns text
language plpgsql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _folded text := fold_text.content;
begin
    -- most text is ASCII, and normalising is the dearest step
    if octet_length(_folded) > length(_folded) then
        -- NFKC would take these two apart before they are quotes
        _folded := replace(replace(_folded, E'\u00b4', ''''), E'\u2033', '"');
        -- soft hyphen, zero-width, direction marks, byte order mark, tag characters
        _folded := regexp_replace(
            _folded,
            E'[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]',
            '', 'g'
        );
        if _folded is not nfkc normalized then
            _folded := normalize(_folded, nfkc);
        end if;
        _folded := regexp_replace(_folded, E'[\u2018\u2019\u201a\u201b\u02bc\u2032]', '''', 'g');
        _folded := regexp_replace(_folded, E'[\u201c\u201d\u201e]', '"', 'g');
        _folded := regexp_replace(_folded, E'[\u2010-\u2015\u2212]', '-', 'g');
    end if;
    _folded := replace(_folded, '`', '''');
    -- a word hyphenated at the end of a line is one word
    _folded := regexp_replace(
        _folded, '([[:alpha:]])-[ \t]*\r?\n[ \t]*([[:lower:]])', '\1\2', 'g'
    );
    -- single spaces are passed over: most are
    _folded := lower(btrim(regexp_replace(_folded, '\s{2,}|[^\S ]', ' ', 'g')));
    -- again, for a small letter may join with a mark its capital cannot
    if octet_length(_folded) > length(_folded) and _folded is not nfkc normalized then
        _folded := normalize(_folded, nfkc);
    end if;
    return _folded;
end;
$func$;

comment on function terms.fold_text is
'One spelling for matching: lower case, NFKC, straight quotes, single spaces, no invisible characters, no line-end hyphens.';
