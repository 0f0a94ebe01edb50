-- 0014_measured_fusion
-- why   the evaluation chose other weights and another floor for the offline model (docs/decisions/0016)
-- lock  one row of embedding.set
-- undo  the same update the other way round
set local lock_timeout = '2s';
set local statement_timeout = '60s';

-- only where nobody has chosen otherwise
update embedding.set
set vector_weight = 0.5, keyword_weight = 0.5, relevance_floor = 0.25
where
    name = 'local-minilm'
    and vector_weight = 0.7
    and keyword_weight = 0.3
    and relevance_floor = 0.30;
