-- dba.measure_recall
-- How much of the exact best k the vector leg finds as it plans today, by bands of selectivity; writes nothing.
--
-- Each question is asked everywhere, in national text with one authority's, everywhere with one
-- tag, and in one scope with one tag; authority, scope and tag are drawn from the chunks, so large
-- ones come up more often. A chunk as similar as the last of the exact ones counts as found. The
-- exact search runs first, so both times are of warm caches.
--
-- called by  dba.recall_audit, admins (on a standby, too)
-- raises     UP002 sample, k or bands out of range, VE004 no embedding set is active, ST002
--            unusable setting

create or replace function dba.measure_recall(
    sample integer default 50,
    k integer default 20,
    bands text[] default array['everything', 'authority', 'tag', 'tiny']
)
returns table (
    band text,
    selectivity double precision,
    queries integer,
    real_questions integer,
    mean_recall double precision,
    worst_recall double precision,
    mean_ms double precision,
    exact_ms double precision,
    plans text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _set integer;
    _statuses text[];
    _candidates integer;
    _chunks double precision;
    _everything search.visible_scope[];
    _scopes search.visible_scope[];
    _tags text[];
    -- drawn from the chunks, so that large ones come up more often
    _authorities text[];
    _tagged text[];
    _small_scopes bigint[];
    _small_tags text[];
    _place integer;
    _question record;
    _band text;
    _found search.vector_found;
    _exact search.vector_hit[];
    _started timestamptz;
    _planned_ms double precision;
    _exact_ms double precision;
    _share double precision;
    _seen jsonb[] := '{}';
begin
    if coalesce(measure_recall.sample, 0) not between 1 and 10000 then
        raise exception 'sample % is out of range', measure_recall.sample
            using errcode = 'UP002', hint = 'Give 1 to 10000 questions.';
    end if;
    if coalesce(measure_recall.k, 0) not between 1 and 1000 then
        raise exception 'k % is out of range', measure_recall.k
            using errcode = 'UP002', hint = 'Give 1 to 1000 chunks.';
    end if;
    if not coalesce(
        measure_recall.bands <@ array['everything', 'authority', 'tag', 'tiny'], false
    ) or measure_recall.bands = '{}' then
        raise exception 'no such band of selectivity'
            using errcode = 'UP002', hint = 'Give some of everything, authority, tag and tiny.';
    end if;
    _set := (embedding.active_set()).set_id;
    _statuses := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
    -- the legs bring more than an answer shows, and so does the audited one
    _candidates := greatest(measure_recall.k, config.value('kb.candidates')::integer);
    _everything := array(select s from search.visible_scopes(everywhere => true) as s);
    _chunks := greatest(1, (select count(*) from search.text_index));

    _authorities := array(
        select s.la_code
        from corpus.chunk_fact as f
        inner join corpus.scope as s on s.scope_id = f.scope_id
        where s.kind in ('la', 'school') and f.status = any(_statuses)
        order by random()
        limit measure_recall.sample
    );
    _tagged := array(
        select f.tags[1 + floor(random() * cardinality(f.tags))]
        from corpus.chunk_fact as f
        where f.scope_id in (select s.scope_id from unnest(_everything) as s)
            and f.status = any(_statuses) and f.tags <> '{}'
        order by random()
        limit measure_recall.sample
    );
    select array_agg(d.scope_id), array_agg(d.tag)
    into _small_scopes, _small_tags
    from (
        select f.scope_id, f.tags[1 + floor(random() * cardinality(f.tags))] as tag
        from corpus.chunk_fact as f
        inner join corpus.scope as s on s.scope_id = f.scope_id
        where s.kind <> 'private' and f.status = any(_statuses) and f.tags <> '{}'
        order by s.kind = 'national', random()
        limit measure_recall.sample
    ) as d;

    for _question in
        select q.query, q.is_real, (row_number() over ())::integer as place
        from dba.sample_questions(measure_recall.sample) as q
    loop
        foreach _band in array measure_recall.bands loop
            _scopes := _everything;
            _tags := null;
            if _band = 'authority' then
                continue when cardinality(_authorities) = 0;
                _scopes := array(
                    select s
                    from unnest(_everything) as s
                    inner join corpus.scope as c on c.scope_id = s.scope_id
                    where
                        c.kind = 'national'
                        or c.la_code = _authorities[1 + _question.place % cardinality(_authorities)]
                );
            elsif _band = 'tag' then
                continue when cardinality(_tagged) = 0;
                _tags := array[_tagged[1 + _question.place % cardinality(_tagged)]];
            elsif _band = 'tiny' then
                continue when _small_scopes is null;
                _place := 1 + _question.place % cardinality(_small_scopes);
                _tags := array[_small_tags[_place]];
                _scopes := array(
                    select s
                    from corpus.scope as c
                    cross join lateral
                        search.visible_scopes(urn => c.school_urn, everywhere => true) as s
                    where c.scope_id = _small_scopes[_place] and s.scope_id = c.scope_id
                );
            end if;

            _started := clock_timestamp();
            _exact := array(
                select h
                from search.exact_hits(
                    query => _question.query, set_id => _set,
                    scope_ids => array(select s.scope_id from unnest(_scopes) as s),
                    statuses => _statuses, tags => _tags, candidates => measure_recall.k
                ) as h
            );
            _exact_ms := 1000 * extract(epoch from clock_timestamp() - _started);
            continue when cardinality(_exact) = 0;
            _started := clock_timestamp();
            _found := search.vector_leg(
                query => _question.query, set_id => _set, scopes => _scopes,
                statuses => _statuses, tags => _tags, candidates => _candidates
            );
            _planned_ms := 1000 * extract(epoch from clock_timestamp() - _started);
            select least(1.0, count(*)::double precision / cardinality(_exact))
            into _share
            from unnest(_found.hits) as h
            where h.similarity >= (select min(e.similarity) from unnest(_exact) as e) - 1e-6;
            _seen := _seen || jsonb_build_object(
                'band', _band, 'real', _question.is_real, 'recall', _share,
                'ms', _planned_ms, 'exact_ms', _exact_ms,
                'selectivity', (
                    select count(*)
                    from corpus.chunk_fact as f
                    where
                        f.scope_id in (select s.scope_id from unnest(_scopes) as s)
                        and f.status = any(_statuses)
                        and (_tags is null or f.tags && _tags)
                ) / _chunks,
                'plans', (
                    select string_agg(distinct p.plan, ', ' order by p.plan)
                    from unnest(_found.plans) as p
                )
            );
        end loop;
    end loop;

    return query
    select
        b.band,
        avg((s.o ->> 'selectivity')::double precision),
        count(s.o)::integer,
        (count(s.o) filter (where (s.o ->> 'real')::boolean))::integer,
        avg((s.o ->> 'recall')::double precision),
        min((s.o ->> 'recall')::double precision),
        avg((s.o ->> 'ms')::double precision),
        avg((s.o ->> 'exact_ms')::double precision),
        string_agg(distinct s.o ->> 'plans', '; ' order by s.o ->> 'plans')
    from unnest(measure_recall.bands) with ordinality as b (band, place)
    left join unnest(_seen) as s (o) on s.o ->> 'band' = b.band
    group by b.band, b.place
    order by b.place;
end;
$func$;

comment on function dba.measure_recall is
'How much of the exact best k the vector leg finds as it plans today, by bands of selectivity; writes nothing.';
