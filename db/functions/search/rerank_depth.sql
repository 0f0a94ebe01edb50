-- search.rerank_depth
-- So many of the nearest by bits are ranked again by their vectors: at 768 dimensions eight times the candidates, at least kb.rerank_depth; in proportion fewer of wider vectors, more of narrower ones.
--
-- A bit is one hyperplane more: what two distances in bits may be wrong by falls with the root of
-- their number, and how many must be ranked so that the nearest 20 are among them fell as their number
-- where it was measured (docs/decisions/0034). Never fewer than twice the candidates.
--
-- called by  search.vector_leg, search.bit_hits, search.index_hits
-- raises     ST002 unusable setting

create or replace function search.rerank_depth(
    candidates integer,
    width integer
)
returns integer
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select greatest(
        2 * rerank_depth.candidates,
        ceil(
            greatest(8 * rerank_depth.candidates, config.value('kb.rerank_depth')::integer)
            * 768.0 / rerank_depth.width
        )::integer
    );
$func$;

comment on function search.rerank_depth is
'So many of the nearest by bits are ranked again by their vectors: at 768 dimensions eight times the candidates, at least kb.rerank_depth; in proportion fewer of wider vectors, more of narrower ones.';
