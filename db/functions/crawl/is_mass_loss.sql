-- crawl.is_mass_loss
-- Whether a run has lost so many known pages that something is wrong with the site rather than with them.
--
-- More than the site's share, and at least five, or all of fewer; one page alone is no mass.
--
-- called by  crawl.close_visit, crawl.finish_job
-- raises     nothing

create or replace function crawl.is_mass_loss(job crawl.job)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        not (is_mass_loss.job).accepts_loss
        and (is_mass_loss.job).known > 1
        and (is_mass_loss.job).lost >= least(5, (is_mass_loss.job).known)
        and (is_mass_loss.job).lost > s.loss_limit * (is_mass_loss.job).known
    from crawl.site as s
    where s.site_id = (is_mass_loss.job).site_id;
$func$;

comment on function crawl.is_mass_loss is
'Whether a run has lost so many known pages that something is wrong with the site rather than with them.';
