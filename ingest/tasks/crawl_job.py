"""Task `crawl_job`: one step of a run over a web site.

The task stands for the run; each claim of it does one thing, and puts the task back: it reads a
robots.txt, fetches a sitemap, or fetches a page. What to do, and when its host may be asked, is
decided in SQL (crawl.next_step). No transaction is open while a site answers, and what came of it
is one statement, which does nothing for a worker that lost its lease meanwhile. So a run goes on
after a kill with the page that was under way, and no other is fetched again.

A redirect is not followed within a fetch: the address it leads to is a page or sitemap of its own,
judged by scope, robots.txt and turn like every other. A page that refuses programs, or says nothing
without its scripts, is read once more in a browser, where there is one. What a host says of an
address that cannot exist is asked before its pages: a page that says the same is not there.
"""

import hashlib
import logging
import secrets
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psycopg

from ingest.crawl import calls
from ingest.crawl.browser import Browser, BrowserMissingError, Rendered, may_help
from ingest.crawl.guide import Guide
from ingest.crawl.robots import RobotsRules, ask_robots
from ingest.crawl.traps import is_like, probe_of
from ingest.crawl.urls import normal_url, site_key
from ingest.errors import again_if_passing, is_refusal, words_of
from ingest.fetch import Fetched, Fetcher, FetchError
from ingest.parse import Parsed, Refused, Sandbox
from ingest.parse.version import EXTRACTOR_VERSION
from ingest.queue import calls as queue
from ingest.queue.leases import Lease
from ingest.tasks.fetch_page import title_of

log = logging.getLogger(__name__)

KIND = "crawl_job"
EXTRACTOR = str(EXTRACTOR_VERSION)
# A browser is given up after a while: a longer wait than this for one of its requests is no use.
_LONGEST_TURN = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class JobWork:
    """A run and the task that stands for it."""

    job_id: int
    lease: Lease


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that is under way: its visit, the rules it is under, and the file it comes into."""

    turn: calls.Turn
    url: str
    wanted: bool
    guide: Guide
    rules: RobotsRules
    path: Path
    missing_text: str | None


class _MovedError(Exception):
    """The page leads to another address."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.target = target


class Crawler:
    """Does the steps of one worker, one after the other."""

    def __init__(self, *, fetcher: Fetcher, sandbox: Sandbox) -> None:
        self._fetcher = fetcher
        self._sandbox = sandbox
        self._browser: Browser | None = None
        # the rules of the host that was asked last: reading them takes longer than asking them
        self._rules: tuple[str, RobotsRules] = ("", self._read(""))

    def do(self, db: psycopg.Connection, work: JobWork) -> bool:
        """Do one step; whether a page is done.

        Raises OperationalError when the database is gone.
        """
        try:
            step = again_if_passing(
                lambda: calls.next_step(
                    db,
                    job_id=work.job_id,
                    task_id=work.lease.task_id,
                    lease_token=work.lease.lease_token,
                    extractor=EXTRACTOR,
                )
            )
            site = calls.job_site(db, job_id=work.job_id)
            if step is None or site is None or step.url is None or step.visit_id is None:
                return False
            guide = Guide(site, user_agent=self._fetcher.settings.user_agent)
            if step.action == "robots":
                self._robots(db, work, step, guide)
                return False
            turn = calls.Turn(work.lease.task_id, work.lease.lease_token, step.visit_id)
            match step.action:
                case "sitemap":
                    outcome = self._sitemap(db, turn, step, step.url, guide)
                case "probe":
                    outcome = self._probe(db, turn, step.url)
                case _:
                    outcome = self._page(db, turn, step, step.url, guide)
        except psycopg.Error as error:
            if db.closed:
                raise
            log.warning("run %d: %s", work.job_id, words_of(error))
            queue.fail_task(
                db,
                task_id=work.lease.task_id,
                lease_token=work.lease.lease_token,
                reason=words_of(error),
            )
            return False
        log.info("run %d: %s %s", work.job_id, step.url, outcome or "another worker took it over")
        return outcome not in {None, "retrying"}

    def _robots(
        self, db: psycopg.Connection, work: JobWork, step: calls.Step, guide: Guide
    ) -> None:
        url, host = step.url or "", step.host or ""
        answer = ask_robots(self._fetcher, url, failures=step.failures or 0)
        known = answer.state != "not-now"
        rules = self._rules_of(answer.text)
        sitemaps: tuple[str, ...] = ()
        if known and guide.is_inside(url):
            sitemaps = rules.sitemaps(site_key(url)) or (f"{site_key(url)}/sitemap.xml",)
        calls.record_robots(
            db,
            job_id=work.job_id,
            task_id=work.lease.task_id,
            lease_token=work.lease.lease_token,
            host=host,
            status=answer.status,
            robots=answer.text if known else None,
            delay=timedelta(seconds=rules.delay) if rules.delay is not None else None,
            sitemaps=[address for address in sitemaps if guide.is_inside(address)],
            wait=None if known else answer.good_for,
            probe=_probe_address(url, guide, rules) if known else None,
        )

    def _probe(self, db: psycopg.Connection, turn: calls.Turn, url: str) -> str | None:
        """What is said with 200 where there is no page; nothing where the status says so."""
        text: str | None = None
        size = 0
        was_answered = True
        with tempfile.NamedTemporaryFile(prefix="pgkb-crawl-") as spool:
            try:
                fetched = self._fetcher.fetch(url, spool, check_hop=_one_hop())
                size = fetched.size
                parsed = self._sandbox.parse(
                    Path(spool.name), header_charset=fetched.charset, source_url=fetched.url
                )
                # error pages name what they did not find
                text = parsed.text.replace(url.rpartition("/")[2], "")
            except (_MovedError, Refused):
                pass
            except FetchError as error:
                was_answered = error.status is not None and not error.passing
            except OSError:
                was_answered = False
        return calls.record_probe(db, turn, was_answered=was_answered, missing_text=text, size=size)

    def _sitemap(
        self, db: psycopg.Connection, turn: calls.Turn, step: calls.Step, url: str, guide: Guide
    ) -> str | None:
        if not self._rules_of(step.robots or "").allows(url):
            return calls.record_blocked(db, turn)
        with tempfile.NamedTemporaryFile(prefix="pgkb-crawl-") as spool:
            try:
                fetched = self._fetcher.fetch(url, spool, check_hop=_one_hop())
            except _MovedError as moved:
                return _moved(db, turn, url, moved.target, guide)
            except FetchError as error:
                return self._not_read(db, turn, error)
            except OSError as error:
                return _not_kept(db, turn, error)
            links, sitemaps = guide.listed_in(Path(spool.name).read_bytes(), fetched.url)
        return calls.record_sitemap(db, turn, size=fetched.size, links=links, sitemaps=sitemaps)

    def _page(
        self, db: psycopg.Connection, turn: calls.Turn, step: calls.Step, url: str, guide: Guide
    ) -> str | None:
        rules = self._rules_of(step.robots or "")
        if not rules.allows(url):
            return calls.record_blocked(db, turn)
        with tempfile.NamedTemporaryFile(prefix="pgkb-crawl-") as spool:
            page = _Page(
                turn, url, bool(step.wanted), guide, rules, Path(spool.name), step.missing_text
            )
            try:
                fetched = self._fetcher.fetch(
                    url,
                    spool,
                    etag=step.etag,
                    last_modified=step.last_modified,
                    check_hop=_one_hop(),
                )
            except _MovedError as moved:
                return _moved(db, turn, url, moved.target, guide)
            except FetchError as error:
                if error.retry_after is None and may_help(status=error.status):
                    return self._in_browser(db, page, error.reason)
                return self._not_read(db, turn, error)
            except OSError as error:
                return _not_kept(db, turn, error)
            return self._take(db, page, fetched)

    def _take(
        self,
        db: psycopg.Connection,
        page: _Page,
        fetched: Fetched,
        *,
        rendered: Rendered | None = None,
    ) -> str | None:
        """Be done with a page that came, `rendered` in a browser: as it was, or by its text."""
        answer = calls.Answer(
            size=fetched.size,
            etag=fetched.etag,
            last_modified=fetched.last_modified,
            body_hash=None if fetched.unchanged else _digest(page.path),
            extractor=EXTRACTOR,
        )
        # a site may withdraw a page beside it, without another byte in it
        if not page.wanted or page.guide.may_be_kept(fetched):
            outcome = calls.record_bytes(db, page.turn, answer)
            if outcome != "read":
                return outcome
        data = page.path.read_bytes()
        found = page.guide.links_in(data, fetched, allows=page.rules.allows)
        needs_post = rendered is not None and rendered.wanted_post
        parsed: Parsed | None = None
        no_text: calls.NoText | None = None if found.may_be_kept else "withdrawn"
        if page.wanted and found.may_be_kept:
            try:
                parsed = self._sandbox.parse(
                    page.path, header_charset=fetched.charset, source_url=fetched.url
                )
            except Refused as refused:
                is_shell = refused.kind == "no-text" and found.is_html
                helps = may_help(status=fetched.status, size=fetched.size)
                if is_shell and rendered is None and helps:
                    return self._in_browser(db, page, refused.reason)
                if is_shell and needs_post:
                    no_text = "needs_post"
                elif is_shell or refused.kind == "empty":
                    no_text = "empty"
                else:
                    return calls.record_failed(
                        db,
                        page.turn,
                        reason=refused.reason,
                        etag=answer.etag,
                        last_modified=answer.last_modified,
                        size=answer.size,
                    )
        if parsed and parsed.metadata.get("menu_only"):
            if rendered is None and b"<script" in data.lower() and self._has_browser():
                return self._in_browser(db, page, "the page holds navigation alone")
            no_text = "needs_post" if needs_post else "empty"
        if (
            parsed
            and page.missing_text
            and not page.guide.is_seed(page.url)
            and is_like(parsed.text, page.missing_text, url=page.url)
        ):
            reason = "it says what the site says of pages that are not there"
            return calls.record_missing(db, page.turn, for_good=False, reason=reason)
        read = calls.ReadPage(
            title=title_of(parsed, fetched) if parsed else "",
            body=parsed.text if parsed and no_text != "needs_post" else None,
            file_type=parsed.file_type if parsed else "html",
            metadata=parsed.metadata if parsed else {},
            canonical=found.canonical,
            links=found.links,
            no_text=no_text,
        )
        try:
            return again_if_passing(lambda: calls.record_page(db, page.turn, answer, read))
        except psycopg.Error as error:
            if db.closed or not is_refusal(error):
                raise
            return calls.record_failed(db, page.turn, reason=words_of(error), size=answer.size)

    def _in_browser(self, db: psycopg.Connection, page: _Page, why: str) -> str | None:
        """The page as a browser shows it, where a plain fetch gave nothing."""

        def check(url: str) -> None:
            # scripts and data of a page are requests like others
            if site_key(url) == site_key(page.url) and not page.rules.allows(url):
                raise FetchError("forbidden", "robots.txt forbids it")
            wait = calls.take_turn(db, url=url, most=_LONGEST_TURN)
            if wait > _LONGEST_TURN:
                raise FetchError("timeout", "its host is not to be asked now", passing=True)
            time.sleep(wait.total_seconds())

        try:
            self._browser = self._browser or Browser(self._fetcher)
            rendered = self._browser.render(page.url, check=check)
        except BrowserMissingError as missing:
            return calls.record_failed(db, page.turn, reason=f"{why}; {missing}")
        except FetchError as error:
            return self._not_read(db, page.turn, error)
        target = normal_url(rendered.url)
        if target != page.url:
            return _moved(db, page.turn, page.url, rendered.url, page.guide)
        data = rendered.markup.encode()
        page.path.write_bytes(data)
        # the validators were those of a page that says nothing
        shown = Fetched(
            url=page.url,
            hops=(),
            status=rendered.status,
            unchanged=False,
            size=len(data),
            content_type="text/html; charset=utf-8",
            charset="utf-8",
            etag=None,
            last_modified=None,
        )
        return self._take(db, page, shown, rendered=rendered)

    def _has_browser(self) -> bool:
        try:
            self._browser = self._browser or Browser(self._fetcher)
        except BrowserMissingError:
            return False
        return True

    def _not_read(self, db: psycopg.Connection, turn: calls.Turn, error: FetchError) -> str | None:
        if error.status in {404, 410}:
            return calls.record_missing(db, turn, for_good=error.status == 410, reason=error.reason)
        return calls.record_failed(
            db,
            turn,
            reason=error.reason,
            may_pass=error.passing,
            wait=None if error.retry_after is None else timedelta(seconds=error.retry_after),
        )

    def _rules_of(self, text: str) -> RobotsRules:
        if self._rules[0] != text:
            self._rules = (text, self._read(text))
        return self._rules[1]

    def _read(self, text: str) -> RobotsRules:
        return RobotsRules.read(text, user_agent=self._fetcher.settings.user_agent)


def _probe_address(robots_url: str, guide: Guide, rules: RobotsRules) -> str | None:
    """An address of the host that cannot exist; None where nobody may ask for it."""
    probe = probe_of(robots_url, token=secrets.token_hex(12))
    return probe if guide.is_inside(probe) and rules.allows(probe) else None


def _one_hop() -> Callable[[str], None]:
    """A check that lets the first address pass and tells of the second."""
    asked: list[str] = []

    def check(url: str) -> None:
        if asked:
            raise _MovedError(url)
        asked.append(url)

    return check


def _moved(
    db: psycopg.Connection, turn: calls.Turn, url: str, target: str, guide: Guide
) -> str | None:
    normal = normal_url(target)
    if normal is None or normal == url:
        return calls.record_failed(db, turn, reason="the site sends on to the same address")
    return calls.record_moved(db, turn, target=normal, is_inside=guide.is_inside(normal))


def _not_kept(db: psycopg.Connection, turn: calls.Turn, error: OSError) -> str | None:
    return calls.record_failed(
        db, turn, reason=f"it could not be kept ({error.strerror})", may_pass=True
    )


def _digest(path: Path) -> bytes:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
