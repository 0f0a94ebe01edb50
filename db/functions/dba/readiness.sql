-- dba.readiness
-- Whether this database can answer questions: a row for each thing looked at, with state ok, warn or fail and the finding in words.
--
-- expected is the newest migration the asking program knows; a newer one in the database is good,
-- because changes of tables keep older programs working. fail means that questions cannot be
-- answered; warn that somebody should look. Names no index, address or key: anybody may ask.
--
-- definer because  the app may not read the ledger and the queue themselves
-- called by  app/operations/calls.py
-- raises     nothing

create or replace function dba.readiness(
    expected text default null,
    queue_seconds double precision default 900
)
returns table (name text, state text, finding text)
language sql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
    with vital_sign as (
        select
            v.*,
            string_to_array(substring(v.pgvector_version from '^\d+(?:\.\d+)*'), '.')::integer[]
            as vector_parts
        from dba.vital_signs() as v
    ),

    unusable as (
        select string_agg(distinct u.name, ', ' order by u.name) as names
        from config.unusable_settings() as u
        where u.is_ours
    )

    select c.name, c.state, c.finding
    from vital_sign as v
    cross join unusable as u
    cross join lateral (
        values
        (
            1,
            'migrations',
            case
                when v.migration is null or v.migration < readiness.expected then 'fail'
                else 'ok'
            end,
            case
                when v.migration is null then 'nothing was deployed; run pgkb up'
                when v.migration < readiness.expected
                then format(
                    'the database is at %s, this program needs %s; run pgkb up',
                    v.migration, readiness.expected
                )
                else 'at ' || v.migration
            end
        ),
        (
            2,
            'pgvector',
            case
                when v.vector_parts is null or v.vector_parts < '{0,8,0}' then 'fail'
                when v.vector_parts < '{0,8,4}' then 'warn'
                else 'ok'
            end,
            case
                when v.vector_parts is null then 'not installed'
                when v.vector_parts < '{0,8,0}'
                then v.pgvector_version || ' is too old, 0.8.0 is needed'
                when v.vector_parts < '{0,8,4}'
                then v.pgvector_version || ' repairs vector indexes wrongly, 0.8.4 does not'
                else v.pgvector_version
            end
        ),
        (
            3,
            'embedding set',
            case when v.active_set is null then 'fail' else 'ok' end,
            case
                when v.active_set is null then 'none is active'
                else format(
                    '%s, %s of width %s', v.active_set, v.embedding_model, v.embedding_width
                )
            end
        ),
        (
            4,
            'indexes',
            case when v.invalid_indexes > 0 then 'warn' else 'ok' end,
            case
                when v.invalid_indexes > 0
                then v.invalid_indexes || ' invalid; run pgkb doctor'
                else 'all valid'
            end
        ),
        (
            5,
            'queue',
            case when v.oldest_ready_seconds > readiness.queue_seconds then 'warn' else 'ok' end,
            case
                when v.oldest_ready_seconds > readiness.queue_seconds
                then format(
                    '%s tasks wait, the oldest for %s s; run pgkb worker',
                    v.tasks_ready, round(v.oldest_ready_seconds)
                )
                else v.tasks_ready || ' waiting'
            end
        ),
        (
            6,
            'settings',
            case when u.names is null then 'ok' else 'fail' end,
            coalesce(u.names || ' cannot be used as set; run pgkb doctor', 'all can be used')
        )
    ) as c (place, name, state, finding)
    order by c.place;
$func$;

comment on function dba.readiness is
'Whether this database can answer questions: a row for each thing looked at, with state ok, warn or fail and the finding in words.';
