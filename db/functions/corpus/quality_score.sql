-- corpus.quality_score
-- 0 to 100: length 0-40 (full at one chunk size) + type (PDF 30, DOCX 25, HTML 20, TXT 15) + tags (none 0, one or two 15, three or more 30).
--
-- called by  corpus.settle_version, corpus.chunk_fact__rate, corpus.correct_facts
-- raises     nothing

create or replace function corpus.quality_score(
    content_length integer,
    file_type text,
    tag_count integer,
    full_length integer default 1000
)
returns smallint
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select (
        round(40 * least(1.0, greatest(0, coalesce(quality_score.content_length, 0))
            / greatest(1, quality_score.full_length)::numeric))
        + case quality_score.file_type
            when 'pdf' then 30 when 'docx' then 25 when 'html' then 20 when 'txt' then 15 else 0
        end
        + case
            when coalesce(quality_score.tag_count, 0) <= 0 then 0
            when quality_score.tag_count <= 2 then 15
            else 30
        end
    )::smallint;
$func$;

comment on function corpus.quality_score is
'0 to 100: length 0-40 (full at one chunk size) + type (PDF 30, DOCX 25, HTML 20, TXT 15) + tags (none 0, one or two 15, three or more 30).';
