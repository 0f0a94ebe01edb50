-- embedding.add_set
-- Add an embedding set and the partition for its vectors, empty and unused; returns its key.
--
-- Floors and weights that are not given are those of the nearest known set (same model, else same
-- provider, else the oldest), and a notice says so: they are cosines of another model, to be
-- measured with pgkb tune. Adding the same set again changes nothing. No endpoint is taken here: the
-- server's key is sent there, see embedding.set_endpoint.
--
-- definer because  only the owner of embedding.vector can give it a partition
-- called by  DBAs, ingest/embedding/calls.py
-- writes     embedding.set, a table embedding.vector_<set_id>, audit.event
-- locks      share update exclusive on embedding.vector: searches and publishers go on
-- raises     VE011 a set that cannot be

create or replace function embedding.add_set(
    name text,
    provider text,
    model text,
    width integer,
    retrieval_floor double precision default null,
    relevance_floor double precision default null,
    school_floor double precision default null,
    vector_weight double precision default null,
    keyword_weight double precision default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '5s'
as $func$
declare
    _known embedding.set;
    _near embedding.set;
    _set_id integer;
begin
    if coalesce(btrim(add_set.name), '') = '' or length(add_set.name) > 60
        or coalesce(btrim(add_set.model), '') = ''
        or coalesce(add_set.provider, '') not in ('local', 'openai', 'azure', 'compatible')
        or add_set.width is null or add_set.width not between 1 and 4000
    then
        raise exception 'embedding set "%" cannot be: provider "%", model "%", width %',
            left(add_set.name, 60), left(add_set.provider, 20), left(add_set.model, 60),
            add_set.width
            using errcode = 'VE011',
                  hint = 'Give a name of at most 60 letters, a provider (local, openai, azure, compatible), a model and a width of 1 to 4000.';
    end if;
    if not (coalesce(add_set.retrieval_floor, 0) between -1 and 1)
        or not (coalesce(add_set.relevance_floor, 0) between -1 and 1)
        or not (coalesce(add_set.school_floor, 0) between -1 and 1)
        or not (coalesce(add_set.vector_weight, 0) between 0 and 1000)
        or not (coalesce(add_set.keyword_weight, 0) between 0 and 1000)
    then
        raise exception 'embedding set "%" cannot have such floors or weights', add_set.name
            using errcode = 'VE011', hint = 'Floors are -1 to 1, weights 0 to 1000.';
    end if;
    -- two at once must not take the same key
    perform pg_advisory_xact_lock(hashtextextended('embedding.add_set', 4));
    select s.* into _known from embedding.set as s where s.name = add_set.name;
    if found then
        if (_known.provider, _known.model, _known.width)
            is distinct from (add_set.provider, add_set.model, add_set.width)
        then
            raise exception 'embedding set "%" is % of % with % dimensions already',
                _known.name, _known.model, _known.provider, _known.width
                using errcode = 'VE011', hint = 'Choose another name.';
        end if;
        return _known.set_id;
    end if;

    select s.* into _near
    from embedding.set as s
    order by s.model = add_set.model desc, s.provider = add_set.provider desc, s.set_id
    limit 1;
    if _near.set_id is not null and num_nulls(
        add_set.retrieval_floor, add_set.relevance_floor, add_set.school_floor,
        add_set.vector_weight, add_set.keyword_weight
    ) > 0
    then
        raise notice 'floors and weights not given are those of embedding set "%" (%): measure them with pgkb tune',
            _near.name, _near.model;
    end if;
    select coalesce(max(s.set_id), 0) + 1 into _set_id from embedding.set as s;
    insert into embedding.set
        (set_id, name, provider, model, width, retrieval_floor, relevance_floor, school_floor,
            vector_weight, keyword_weight, index_kind)
    values (
        _set_id, add_set.name, add_set.provider, add_set.model, add_set.width,
        coalesce(add_set.retrieval_floor, _near.retrieval_floor, 0.15),
        coalesce(add_set.relevance_floor, _near.relevance_floor, 0.30),
        coalesce(add_set.school_floor, _near.school_floor, 0.15),
        coalesce(add_set.vector_weight, _near.vector_weight, 0.5),
        coalesce(add_set.keyword_weight, _near.keyword_weight, 0.5),
        -- docs/decisions/0019
        case when add_set.width >= 1024 then 'binary' else 'halfvec' end
    );
    -- made apart and attached: "partition of" would shut the searches out
    execute format(
        'create table embedding.vector_%1$s (like embedding.vector including indexes, '
        'constraint vector_%1$s_width check (public.vector_dims(embedding) = %2$s), '
        'constraint vector_%1$s_has_a_direction check (public.l2_norm(embedding) > 0))',
        _set_id, add_set.width
    );
    -- inline, so that an exact scan of a scope reads no TOAST table
    execute format('alter table embedding.vector_%s alter column embedding set storage plain', _set_id);
    execute format(
        'create trigger vector__clear_bits after truncate on embedding.vector_%1$s '
        'for each statement execute function embedding.vector__clear_bits(%1$s)',
        _set_id
    );
    execute format('comment on table embedding.vector_%1$s is %2$L', _set_id, 'Vectors of set ' || _set_id || '.');
    execute format(
        'alter table embedding.vector attach partition embedding.vector_%1$s for values in (%1$s)',
        _set_id
    );
    -- as the page of grants has it for every table
    execute format('grant select on embedding.vector_%s to pgkb_admin', _set_id);
    perform audit.write_event('embedding_set_added', add_set.name);
    return _set_id;
end;
$func$;

comment on function embedding.add_set is
'Add an embedding set and the partition for its vectors, empty and unused; returns its key.';
