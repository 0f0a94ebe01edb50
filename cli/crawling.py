"""`pgkb crawl`: visits to web sites are asked for, watched and steered; workers do them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from cli import wiring
from cli.errors import CliError
from cli.output import note, plural, print_json, say, shorten

if TYPE_CHECKING:
    import psycopg

    from ingest.crawl.sites.calls import JobReport, Remark, Started

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until all of it is over.")]
Job = Annotated[int, typer.Argument(help="Number of a run.", metavar="JOB", min=1, max=2**63 - 1)]

_COUNTS = (
    "new", "changed", "unchanged", "duplicate", "moved", "gone", "blocked", "failed", "skipped",
)  # fmt: skip
_PAUSE = 1.0
_OPEN = frozenset(["pending", "running", "paused"])


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(
        help="Visit web sites and keep their documents current.", rich_markup_mode=None
    )
    group.command("la", help="Visit the site of an authority, or of its schools.")(visit_authority)
    group.command("school", help="Visit the site of a school for its policies.")(visit_school)
    group.command("domain", help="Visit a national web site of the pack.")(visit_domain)
    group.command("all", help="Visit every site: authorities, national ones, known schools.")(
        visit_all
    )
    group.command("site", help="Say where a site begins, how far it reaches, when it is visited.")(
        set_site
    )
    group.command("status", help="How runs stand; with a number, page by page.")(status)
    group.command("pause", help="Let a run rest after the page it is at.")(pause)
    group.command("resume", help="Go on with a run that was paused or stopped.")(resume)
    group.command("cancel", help="Call a run off; what it stored stays.")(cancel)
    app.add_typer(group, name="crawl")


def visit_authority(
    code: Annotated[str, typer.Argument(help="GSS or three-digit code.", metavar="CODE")],
    schools: Annotated[
        bool, typer.Option("--schools", help="The sites of its schools instead.")
    ] = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> int:
    """A site that is being visited gets no second run."""
    from ingest.crawl.sites import calls

    with _database() as db:
        return _follow(db, calls.start(db, la_code=code, schools=schools), wait, as_json=as_json)


def visit_school(
    urn: Annotated[str, typer.Argument(help="URN of six digits.", metavar="URN")],
    wait: Wait = False,
    as_json: AsJson = False,
) -> int:
    """Its home page is that of the register, unless `pgkb crawl site` says otherwise."""
    from ingest.crawl.sites import calls

    with _database() as db:
        return _follow(db, calls.start(db, school_urn=urn), wait, as_json=as_json)


def visit_domain(
    name: Annotated[str, typer.Argument(help="As domains.csv has it.", metavar="DOMAIN")],
    wait: Wait = False,
    as_json: AsJson = False,
) -> int:
    """What it says holds everywhere: it belongs to no authority."""
    from ingest.crawl.sites import calls

    with _database() as db:
        return _follow(db, calls.start(db, domain=name), wait, as_json=as_json)


def visit_all(wait: Wait = False, as_json: AsJson = False) -> int:
    """Each site once, whoever links to it."""
    from ingest.crawl.sites import calls

    with _database() as db:
        return _follow(db, calls.start(db, everything=True), wait, as_json=as_json)


def set_site(
    la: Annotated[str | None, typer.Option("--la", help="Its authority.")] = None,
    urn: Annotated[str | None, typer.Option("--urn", help="Its school.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", help="Its national domain.")] = None,
    seed: Annotated[
        list[str] | None, typer.Option("--seed", help="Where a run begins; may be repeated.")
    ] = None,
    prefix: Annotated[
        list[str] | None, typer.Option("--prefix", help="What pages begin with; may be repeated.")
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option("--schedule", help="Five fields as in cron, '0 3 * * 1'; '' for never."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", min=0, max=10, help="Links away from a seed.")
    ] = None,
    pages: Annotated[
        int | None, typer.Option("--pages", min=1, max=2**31 - 1, help="Requests of one run.")
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option("--delay", min=0, max=60, help="Seconds between two requests at least."),
    ] = None,
    paused: Annotated[
        bool | None, typer.Option("--pause/--no-pause", help="Let its schedule rest, or not.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What is left out stays as it is; every other setting: select crawl.set_site(...)."""
    from ingest.crawl.sites import calls

    with _database() as db:
        site_id = calls.set_site(
            db,
            la_code=la,
            school_urn=urn,
            domain=domain,
            seeds=seed,
            prefixes=prefix,
            schedule=schedule,
            max_depth=depth,
            max_pages=pages,
            delay=None if delay is None else timedelta(seconds=delay),
            paused=paused,
        )
    if as_json:
        print_json({"site_id": site_id})
    else:
        say(f"site {site_id} is set")


def status(
    number: Annotated[
        int | None, typer.Argument(help="Number of a run.", metavar="JOB", min=1, max=2**63 - 1)
    ] = None,
    wait: Wait = False,
    as_json: AsJson = False,
) -> int:
    """Without a number the last run of each site; exit code 1 when one stopped."""
    from ingest.crawl.sites import calls

    with _database() as db:
        numbers = calls.last_jobs(db) if number is None else [number]
        found = _wait_for(db, numbers) if wait else calls.reports(db, job_ids=numbers)
        if number is not None and not found:
            raise CliError(f"there is no run {number}. `pgkb crawl status` shows the last ones")
        remarks: list[Remark] = []
        if number is not None:
            remarks = calls.remarks(db, job_id=number)
    if as_json:
        print_json({"jobs": found, "pages": remarks})
    else:
        for remark in remarks:
            reason = f": {shorten(remark.reason)}" if remark.reason else ""
            say(f"{remark.outcome:<10} {remark.url}{reason}")
        for report in found:
            say(_line(report))
    return int(any(report.state == "stopped" for report in found))


def pause(number: Job, as_json: AsJson = False) -> None:
    """The page it is at is finished."""
    from ingest.crawl.sites import calls

    with _database() as db:
        calls.pause_job(db, job_id=number)
    _steered(number, "paused", as_json=as_json)


def resume(
    number: Job,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="The pages that are missing are really gone.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """It goes on where it was; no page that is done is fetched again."""
    from ingest.crawl.sites import calls

    with _database() as db:
        calls.resume_job(db, job_id=number, accept_loss=accept_loss)
    _steered(number, "goes on", as_json=as_json)


def cancel(number: Job, as_json: AsJson = False) -> None:
    """Pages it has not seen stay as they were."""
    from ingest.crawl.sites import calls

    with _database() as db:
        calls.cancel_job(db, job_id=number)
    _steered(number, "cancelled", as_json=as_json)


def _steered(number: int, what: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"job_id": number, "done": what})
    else:
        say(f"run {number} {what}")


def _follow(
    db: "psycopg.Connection", started: "Sequence[Started]", wait: bool, *, as_json: bool
) -> int:
    found: list[JobReport] = []
    if wait:
        found = _wait_for(db, [run.job_id for run in started])
    if as_json:
        print_json({"runs": started, "jobs": found})
    elif wait:
        for report in found:
            say(_line(report))
    else:
        for run in started:
            say(f"run {run.job_id} over {run.site}{'' if run.is_new else ' is open already'}")
        note("`pgkb worker` does the work; `pgkb crawl status` tells how far it is")
    return int(any(report.state == "stopped" for report in found))


def _wait_for(db: "psycopg.Connection", job_ids: "Sequence[int]") -> "list[JobReport]":
    """Until all of them are over; one line for each change meanwhile."""
    from ingest.crawl.sites import calls

    told = ""
    while True:
        found = calls.reports(db, job_ids=job_ids)
        unfinished = [report for report in found if report.state in _OPEN]
        if not unfinished:
            return found
        seen = sum(report.found - report.waiting for report in found)
        line = (
            f"{plural(seen, 'page')} of {sum(report.found for report in found):,} seen, "
            f"{plural(len(unfinished), 'run')} open"
        )
        if len(unfinished) == 1 and unfinished[0].current_url:
            line += f": {shorten(unfinished[0].current_url)}"
        if line != told:
            note(line)
            told = line
        time.sleep(_PAUSE)


def _line(report: "JobReport") -> str:
    counts = [f"{count:,} {name}" for name in _COUNTS if (count := getattr(report, name))]
    if report.waiting:
        counts.append(f"{report.waiting:,} to see")
    told = f": {', '.join(counts)}" if counts else ""
    reason = f" ({report.reason})" if report.reason else ""
    return f"run {report.job_id:<6} {report.state:<9} {report.site}{told}{reason}"


@contextmanager
def _database() -> "Iterator[psycopg.Connection]":
    from ingest.connect import connect

    with closing(connect(wiring.database_url())) as db:
        yield db
