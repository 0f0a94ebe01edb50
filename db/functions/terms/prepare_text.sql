-- terms.prepare_text
-- Folded text with section references, case numbers and slashed pairs spelled so that the parser splits them into words.
--
-- called by  terms.to_index
-- raises     nothing

create or replace function terms.prepare_text(folded text)
returns text
language sql
immutable
parallel safe
strict
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select regexp_replace(
        regexp_replace(
            regexp_replace(
                -- embedded base64 and the like would be dropped by the parser with a notice each
                -- (commas and bars part words: a row of a table without spaces is no such token)
                -- (the parser would take what stands between < and > for a tag of HTML)
                regexp_replace(
                    regexp_replace(prepare_text.folded, '[<>,;|。、]', ' ', 'g'),
                    '\S{200,}', ' ', 'g'
                ),
                -- s.36, s36, ss.38 and the section sign: section 36; not the s of "she's 15"
                '((?<!'')\mss?\.? ?|§+ ?)(?=\d)', 'section ', 'g'
            ),
            -- inc-48211: inc 48211 (the parser would make -48211 a number)
            '(?<=[[:alnum:]])-(?=\d)', ' ', 'g'
        ),
        -- send/ehcp: send ehcp (the parser would make it one file name)
        '(?<=[[:alnum:]])/(?=[[:alpha:]])', ' ', 'g'
    );
$func$;

comment on function terms.prepare_text is
'Folded text with section references, case numbers and slashed pairs spelled so that the parser splits them into words.';
