"""Task `fetch_page`: fetch an address of a batch, parse it, and stage its text.

No transaction is open while a site answers. The text, the page's outcome and the end of the task
are one statement, which does nothing for a worker that lost its lease meanwhile. Publishing is a
task of its own, for whichever worker comes first.
"""

import logging
import tempfile
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import Self
from urllib.parse import unquote, urlsplit

import psycopg

from ingest.crawl.calls import take_turn
from ingest.errors import again_if_passing, is_refusal, words_of
from ingest.fetch import Fetched, Fetcher, FetchError, fetch_settings_from
from ingest.intake import calls
from ingest.parse import Limits, Parsed, Refused, Sandbox
from ingest.parse.clean import clean_line
from ingest.queue import calls as queue
from ingest.queue.leases import Lease

log = logging.getLogger(__name__)

KIND = "fetch_page"
# A host that is visited by runs too has turns; a longer wait for one is spent in the queue.
_LONGEST_TURN = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class PageWork:
    """A page and the task that stands for it."""

    page_id: int
    lease: Lease


class PageFetcher:
    """Does the tasks of one worker, one after the other. Use it as a context manager.

    Without a fetcher, one that reaches public sites only is used. The process that parses starts
    with the first page.
    """

    def __init__(self, *, limits: Limits, fetcher: Fetcher | None = None) -> None:
        self.fetcher = fetcher or Fetcher(fetch_settings_from())
        self.sandbox = Sandbox(limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.sandbox.close()

    def do(self, db: psycopg.Connection, work: PageWork) -> bool:
        """Fetch and stage a page, or say why not; whether its task is done.

        Raises OperationalError when the database is gone.
        """
        url = calls.page_url(db, page_id=work.page_id)
        if url is None:
            return queue.finish_task(
                db, task_id=work.lease.task_id, lease_token=work.lease.lease_token
            )
        wait = take_turn(db, url=url, most=_LONGEST_TURN)
        if wait > _LONGEST_TURN:
            queue.release_task(
                db, task_id=work.lease.task_id, lease_token=work.lease.lease_token, wait=wait
            )
            return False
        time.sleep(wait.total_seconds())
        try:
            page = self._page(url)
        except FetchError as error:
            if error.passing:
                return self._again_later(db, work, error.reason, wait=error.retry_after)
            return self._refuse(db, work, error.reason)
        except Refused as refused:
            return self._refuse(db, work, refused.reason)
        except OSError as error:
            return self._again_later(db, work, f"it could not be kept ({error.strerror})")
        return self._stage(db, work, page)

    def _page(self, url: str) -> calls.NewPage:
        with tempfile.NamedTemporaryFile(prefix="pgkb-fetch-") as spool:
            fetched = self.fetcher.fetch(url, spool)
            parsed = self.sandbox.parse(
                Path(spool.name), header_charset=fetched.charset, source_url=fetched.url
            )
        return calls.NewPage(
            final_url=fetched.url,
            title=title_of(parsed, fetched),
            body=parsed.text,
            file_type=parsed.file_type,
            metadata=parsed.metadata,
        )

    def _stage(self, db: psycopg.Connection, work: PageWork, page: calls.NewPage) -> bool:
        try:
            outcome = again_if_passing(
                lambda: calls.stage_page(
                    db,
                    page_id=work.page_id,
                    task_id=work.lease.task_id,
                    lease_token=work.lease.lease_token,
                    page=page,
                )
            )
        except psycopg.Error as error:
            if db.closed:
                raise
            if is_refusal(error):
                return self._refuse(db, work, words_of(error))
            return self._again_later(db, work, words_of(error), sqlstate=error.sqlstate)
        log.info("page %d: %s", work.page_id, outcome or "another worker took it over")
        return outcome is not None

    def _again_later(
        self,
        db: psycopg.Connection,
        work: PageWork,
        reason: str,
        *,
        sqlstate: str | None = None,
        wait: float | None = None,
    ) -> bool:
        log.warning("page %d: %s", work.page_id, reason)
        queue.fail_task(
            db,
            task_id=work.lease.task_id,
            lease_token=work.lease.lease_token,
            reason=reason,
            sqlstate=sqlstate,
            wait=None if wait is None else timedelta(seconds=wait),
        )
        return False

    def _refuse(self, db: psycopg.Connection, work: PageWork, reason: str) -> bool:
        log.warning("page %d: refused, %s", work.page_id, reason)
        return calls.refuse_page(
            db,
            page_id=work.page_id,
            task_id=work.lease.task_id,
            lease_token=work.lease.lease_token,
            reason=reason,
        )


def title_of(parsed: Parsed, fetched: Fetched) -> str:
    """The document's own title, else the last word of its address; else its address, by default."""
    name = PurePosixPath(unquote(urlsplit(fetched.url).path)).stem
    return clean_line(parsed.title or "") or clean_line(name.replace("_", " ").replace("-", " "))
