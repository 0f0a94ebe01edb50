-- crawl.is_mass_loss
-- Whether a run has lost so many known pages that something is wrong with the site rather than with them.
--
-- More than the site's share, and at least five, or all of fewer; one page alone is no mass. While a
-- run goes on its losses are held against all known pages, at its end against those it has seen.
--
-- called by  crawl.close_visit, crawl.finish_job
-- raises     nothing

create or replace function crawl.is_mass_loss(job crawl.job, seen integer default null)
returns boolean
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        not (is_mass_loss.job).accepts_loss
        and k.pages > 1
        and (is_mass_loss.job).lost >= least(5, k.pages)
        and (is_mass_loss.job).lost > s.loss_limit * k.pages
    from crawl.site as s
    cross join (select coalesce(is_mass_loss.seen, (is_mass_loss.job).known) as pages) as k
    where s.site_id = (is_mass_loss.job).site_id;
$func$;

comment on function crawl.is_mass_loss is
'Whether a run has lost so many known pages that something is wrong with the site rather than with them.';
