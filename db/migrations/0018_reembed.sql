-- 0018_reembed
-- why   the searches move to another embedding set while they go on (docs/decisions/0018)
-- lock  access exclusive on embedding.set for a moment
-- undo  drop the view, the two tables, the columns and the functions of the new signatures
set local lock_timeout = '2s';
set local statement_timeout = '60s';

alter table embedding.set
add column state text not null default 'idle',
add column replaced_at timestamptz;
update embedding.set
set state = 'ready'
where active;
alter table embedding.set
-- squawk-ignore constraint-missing-not-valid
add constraint set_state_is_known check (state in ('idle', 'filling', 'ready'));
comment on column embedding.set.state is
'idle: nobody sees to its vectors; filling: being filled; ready: it was whole once and is kept so, so a search may name it.';
comment on column embedding.set.replaced_at is 'When another set took over from it, the last time.';

create table embedding.wanted_vector (
    set_id integer not null,
    chunk_id bigint not null,
    scope_id bigint not null,
    searched boolean not null,
    ready_at timestamptz not null default now(),
    holder_pid integer,
    attempts integer not null default 0,
    failed boolean not null default false,
    last_error text,
    constraint wanted_vector_pk primary key (set_id, chunk_id),
    constraint wanted_vector_set_fk
    foreign key (set_id) references embedding.set (set_id) on delete cascade,
    constraint wanted_vector_chunk_fk
    foreign key (chunk_id) references corpus.chunk (chunk_id) on delete cascade
)
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table embedding.wanted_vector is
'Chunks that lack their vector in a set that is filled or kept up; the row leaves when the vector is there.';
comment on column embedding.wanted_vector.set_id is 'The embedding set.';
comment on column embedding.wanted_vector.chunk_id is 'The chunk.';
comment on column embedding.wanted_vector.scope_id is
'Its scope: scopes are filled one after the other, so that their vectors lie together.';
comment on column embedding.wanted_vector.searched is
'Whether it belongs to a published version; those come first.';
comment on column embedding.wanted_vector.ready_at is
'Not before this instant; a claim moves it one lease ahead.';
comment on column embedding.wanted_vector.holder_pid is
'Server process of whoever claimed it: when that is gone the claim is void.';
comment on column embedding.wanted_vector.attempts is 'How often it was claimed.';
comment on column embedding.wanted_vector.failed is 'Given up; embedding.start_fill tries again.';
comment on column embedding.wanted_vector.last_error is 'Why the last attempt failed.';
create index wanted_vector_order_idx
on embedding.wanted_vector (set_id, searched desc, scope_id, chunk_id) where not failed;
create index wanted_vector_chunk_idx on embedding.wanted_vector (chunk_id);

create table embedding.fill_batch (
    fill_batch_id bigint generated always as identity,
    set_id integer not null,
    stored_at timestamptz not null default clock_timestamp(),
    embedded integer not null,
    reused integer not null,
    constraint fill_batch_pk primary key (fill_batch_id),
    constraint fill_batch_set_fk
    foreign key (set_id) references embedding.set (set_id) on delete cascade
);
comment on table embedding.fill_batch is
'What was filled in and when, a row for each batch: the rate is read from it. A new fill begins with none.';
comment on column embedding.fill_batch.fill_batch_id is 'Key.';
comment on column embedding.fill_batch.set_id is 'The embedding set.';
comment on column embedding.fill_batch.stored_at is 'When its vectors were stored.';
comment on column embedding.fill_batch.embedded is 'Vectors the provider made.';
comment on column embedding.fill_batch.reused is 'Vectors taken over from a chunk of the same text.';
create index fill_batch_set_idx on embedding.fill_batch (set_id, stored_at);

create view embedding.fill_progress as
select
    s.name,
    s.model,
    s.width,
    s.state,
    s.active,
    c.chunks,
    case when s.state <> 'idle' then c.chunks - w.lacking end as done,
    w.lacking,
    w.held,
    w.failed,
    w.last_error,
    r.rate,
    make_interval(secs => (w.lacking - w.failed) / nullif(r.rate, 0)) as eta
from embedding.set as s
cross join (select count(*) as chunks from corpus.chunk) as c
cross join lateral (
    select
        count(*) as lacking,
        count(*) filter (where q.holder_pid is not null and not q.failed) as held,
        count(*) filter (where q.failed) as failed,
        max(q.last_error) as last_error
    from embedding.wanted_vector as q
    where q.set_id = s.set_id
) as w
cross join lateral (
    -- the first batch of the time began before it
    select
        (
            sum(b.embedded + b.reused)
            - (array_agg(b.embedded + b.reused order by b.stored_at))[1]
        )
        / nullif(
            extract(epoch from max(b.stored_at) - min(b.stored_at)), 0
        )::double precision as rate
    from embedding.fill_batch as b
    where b.set_id = s.set_id and b.stored_at > now() - interval '2 minutes'
) as r;
comment on view embedding.fill_progress is
'How far each embedding set is filled: chunks with and without a vector, the rate of the last two minutes, the time left.';
comment on column embedding.fill_progress.name is 'The set.';
comment on column embedding.fill_progress.model is 'Its model.';
comment on column embedding.fill_progress.width is 'Dimensions of its vectors.';
comment on column embedding.fill_progress.state is 'idle, filling or ready.';
comment on column embedding.fill_progress.active is 'Whether searches use it.';
comment on column embedding.fill_progress.chunks is
'Chunks in the corpus, those of superseded and staged versions included.';
comment on column embedding.fill_progress.done is
'Of them, chunks that need nothing more; unknown for an idle set.';
comment on column embedding.fill_progress.lacking is 'Chunks known to lack their vector.';
comment on column embedding.fill_progress.held is 'Of them, chunks a worker holds.';
comment on column embedding.fill_progress.failed is 'Of them, chunks that were given up.';
comment on column embedding.fill_progress.last_error is 'A reason for which a chunk failed.';
comment on column embedding.fill_progress.rate is 'Chunks a second, over the last two minutes.';
comment on column embedding.fill_progress.eta is 'Time left at that rate.';

-- these take one more argument now; a deploy makes the new ones in the same transaction
-- squawk-ignore ban-drop-function
drop function if exists public.search_kb(
    vector, tsquery, text, text, text, text [], integer, text [], date, text [], text [], -- noqa: LT01
    integer, double precision, double precision, double precision
);
-- squawk-ignore ban-drop-function
drop function if exists public.explain_search(
    vector, tsquery, text, text, text, text [], integer, text [], date, text [], text [], -- noqa: LT01
    integer, double precision, double precision, double precision
);
-- squawk-ignore ban-drop-function
drop function if exists public.why_not(
    bigint, vector, tsquery, text, text, text, text [], integer, text [], date, text [], text [], -- noqa: LT01
    integer, double precision, double precision, double precision
);
-- squawk-ignore ban-drop-function
drop function if exists search.find(
    vector, tsquery, text, text, text, text [], integer, text [], date, text [], text [], -- noqa: LT01
    integer, double precision, double precision, double precision
);
-- squawk-ignore ban-drop-function
drop function if exists search.resolve_request(
    vector, tsquery, text, text, text, text [], integer, text [], date, text [], text [], -- noqa: LT01
    integer, double precision, double precision, double precision
);
-- squawk-ignore ban-drop-function
drop function if exists search.word_question(text, text);
-- squawk-ignore ban-drop-function
drop function if exists embedding.cached_query(text, text);
-- squawk-ignore ban-drop-function
drop function if exists embedding.remember_query(text, text, vector);
-- squawk-ignore ban-drop-function
drop function if exists embedding.embed_text(text);
