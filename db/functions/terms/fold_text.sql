-- terms.fold_text
-- One spelling for matching: lower case, NFKC, straight quotes, single spaces, no invisible characters, no line-end hyphens.
--
-- called by  terms.*, corpus.title_key, corpus.list_documents, embedding.question_hash,
--            search.hash_question, search.record_search
-- raises     nothing

create or replace function terms.fold_text(content text)
returns text
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    -- normalised again at the end: a small letter may join with a mark its capital cannot
    select normalize(lower(btrim(regexp_replace(
        -- a word hyphenated at the end of a line is one word
        regexp_replace(
            translate(
                normalize(
                    -- soft hyphen, zero-width, direction marks, byte order mark, tag characters
                    regexp_replace(
                        -- NFKC would take these two apart before they are quotes
                        translate(fold_text.content, E'\u00b4\u2033', $chars$'"$chars$),
                        E'[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]',
                        '', 'g'
                    ),
                    nfkc
                ),
                E'\u2018\u2019\u201a\u201b\u02bc\u0060\u2032\u201c\u201d\u201e\u2010\u2011\u2012\u2013\u2014\u2015\u2212',
                $chars$'''''''"""-------$chars$
            ),
            '([[:alpha:]])-[ \t]*\r?\n[ \t]*([[:lower:]])', '\1\2', 'g'
        ),
        '\s+', ' ', 'g'
    ))), nfkc);
$func$;

comment on function terms.fold_text is
'One spelling for matching: lower case, NFKC, straight quotes, single spaces, no invisible characters, no line-end hyphens.';
