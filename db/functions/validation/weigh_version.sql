-- validation.weigh_version
-- What the database knows for and against a text, in parts: each a score from 0 to 1 and a sentence. Their product is the confidence.
--
--   quality    0.7 to 1: mean quality of its passages (corpus.quality_score)
--   text       1; 0.9 when its encoding was guessed or a part was not read; 0.7 when the main text
--              of a page was hard to tell; 0.3 when it is probably garbled; times the share of
--              pages that have text
--   publisher  1 on a site known as national, else the weight of its kind of publisher, at most
--              1; 0.85 when nobody says what kind it is
--   place      1 on a site of its own authority or school, or known as national; 0.95 for an
--              uploaded file; 0.85 elsewhere; 0.3 on the site of another authority
--   date       1 within five years of the day it applies from; 0.9 without one; 0.85 when older;
--              0.6 when that day has not come
--   decisions  1; 0.6 when people rejected or flagged passages of it
--
-- Every doubt takes its share off, and one grave doubt is enough. A reason that is not here is
-- added here, or by whoever writes a verdict of its own.
--
-- called by  validation.judge_document, curators
-- raises     nothing

create or replace function validation.weigh_version(version_id bigint)
returns table (part text, score double precision, explanation text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _version corpus.version;
    _document corpus.document;
    _scope corpus.scope;
    _facts record;
    _host text;
    _domain corpus.domain;
    _rank double precision;
    _home text;
    _stranger text;
    _scanned integer;
    _pages integer;
    _age interval;
begin
    select v.* into _version from corpus.version as v where v.version_id = weigh_version.version_id;
    if not found then
        return;
    end if;
    select d.* into strict _document
    from corpus.document as d where d.document_id = _version.document_id;
    select s.* into strict _scope from corpus.scope as s where s.scope_id = _document.scope_id;
    select
        coalesce(avg(f.quality_score), 0) as quality,
        count(*) filter (where f.status in ('rejected', 'flagged')) as doubted
    into _facts
    from corpus.chunk as c
    inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    where c.version_id = _version.version_id;
    _host := corpus.source_host(_document.source);
    select d.* into _domain from corpus.domain as d where d.domain = _host;

    part := 'quality';
    score := 0.7 + 0.3 * _facts.quality / 100;
    explanation := format('its passages have a mean quality of %s of 100', round(_facts.quality));
    return next;

    part := 'text';
    _scanned := case
        when jsonb_typeof(_version.metadata -> 'pages_without_text') = 'array'
            then jsonb_array_length(_version.metadata -> 'pages_without_text')
        else 0
    end;
    _pages := greatest(case
        when jsonb_typeof(_version.metadata -> 'page_count') = 'number'
            then (_version.metadata ->> 'page_count')::numeric::integer
        else 0
    end, _scanned);
    score := case
        when _version.metadata ->> 'low_quality' = 'true' then 0.3
        when _version.metadata ->> 'main_text_unsure' = 'true' then 0.7
        when jsonb_typeof(_version.metadata -> 'warnings') = 'array'
            and jsonb_array_length(_version.metadata -> 'warnings') > (_scanned > 0)::integer
            then 0.9
        else 1
    end * (1 - _scanned::double precision / greatest(_pages, 1));
    explanation := case
        when jsonb_typeof(_version.metadata -> 'warnings') = 'array'
            and jsonb_array_length(_version.metadata -> 'warnings') > 0
            then (
                select left(string_agg(w.warning, '; '), 400)
                from jsonb_array_elements_text(_version.metadata -> 'warnings') as w (warning)
            )
        else 'it was read without a warning'
    end;
    return next;

    part := 'publisher';
    select r.weight into _rank
    from corpus.authority_rank as r where r.authority = _version.authority;
    score := case
        when _domain.domain is not null then 1 else least(1, coalesce(_rank, 0.85))
    end;
    explanation := case
        when _domain.domain is not null
            then format('%s is known as a site of kind %s', _host, _domain.authority)
        when _version.authority is null then 'nobody says what kind of publisher it is of'
        else format('its kind of publisher, %s, weighs %s', _version.authority, round(
            _rank::numeric, 2
        ))
    end;
    return next;

    part := 'place';
    -- its own authority under any code it had, its own school
    select min(w.name) into _home
    from (
        select a.name, corpus.source_host(a.website) as host
        from place.authority as a
        where a.gss = any(validation.family_of(_scope.la_code))
        union all
        select s.name, corpus.source_host(s.website)
        from place.school as s
        where s.urn = _scope.school_urn
    ) as w
    where _host = w.host or right(_host, 1 + length(w.host)) = '.' || w.host;
    if _home is null and _domain.domain is null then
        select min(a.name) into _stranger
        from place.authority as a
        where
            _host = corpus.source_host(a.website)
            or right(_host, 1 + length(corpus.source_host(a.website)))
            = '.' || corpus.source_host(a.website);
    end if;
    score := case
        when _domain.domain is not null or _home is not null then 1
        when _stranger is not null then 0.3
        when _host is null then 0.95
        else 0.85
    end;
    explanation := case
        when _domain.domain is not null then format('%s holds everywhere', _host)
        when _home is not null then format('%s is a site of %s', _host, _home)
        when _stranger is not null
            then format('%s is a site of %s, and it is filed elsewhere', _host, _stranger)
        when _host is null then 'an uploaded file: no address says where it belongs'
        else format('nobody knows whose site %s is', _host)
    end;
    return next;

    part := 'date';
    _age := age(current_date, _version.effective_date);
    score := case
        when _version.effective_date is null then 0.9
        when _version.effective_date > current_date then 0.6
        when _age > interval '5 years' then 0.85
        else 1
    end;
    explanation := case
        when _version.effective_date is null then 'it does not say from which day it applies'
        when _version.effective_date > current_date
            then format('it applies from %s, which has not come', _version.effective_date)
        else format('it applies from %s', _version.effective_date)
    end;
    return next;

    part := 'decisions';
    score := case when _facts.doubted > 0 then 0.6 else 1 end;
    explanation := case
        when _facts.doubted > 0
            then format('%s of its passages were rejected or flagged', _facts.doubted)
        else 'nobody has rejected or flagged a passage of it'
    end;
    return next;
end;
$func$;

comment on function validation.weigh_version is
'What the database knows for and against a text, in parts: each a score from 0 to 1 and a sentence. Their product is the confidence.';
