-- Ask from psql, with no service in between: the same search, as any role that may read.
--
--     psql "$PGKB_DATABASE_URL" -v question="QUESTION" -v la=E10000016 -f ask.sql
\pset format unaligned
\pset tuples_only on
select format('%s: %s', scope, title)
from search_text(:'question', la => :'la', top_k => 3);

select format('“%s”', c.content)
from search_text(:'question', la => :'la', top_k => 1) as found
cross join resolve_citation(found.chunk_id, la => :'la') as c;
