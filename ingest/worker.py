"""The worker: finishes what the queue holds, for as long as it is let.

A worker may die at any instruction. What it held is free as soon as the server notices that its
connection is gone, at the latest when its lease runs out, and nothing it did half is visible.
"""

import logging
import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import timedelta

import psycopg

from ingest.connect import connect, holder_name
from ingest.crawl.sites.calls import purge_jobs, start_due
from ingest.embedding.calls import EmbeddingSet, active_set, purge_queries, sets_to_keep_up
from ingest.embedding.embedders import check_embedder, chosen_embedder
from ingest.embedding.filling import Filler, Pace
from ingest.errors import words_of
from ingest.fetch import Fetcher
from ingest.intake.calls import purge_batches
from ingest.queue import calls as queue
from ingest.queue.leases import Lease, LeaseKeeper
from ingest.settings import Settings, settings_from
from ingest.tasks import crawl_job, fetch_page, read_upload, validate_batch
from ingest.tasks.publish_version import Publisher, Work, give_back, pause_after
from ingest.upkeep import calls
from ingest.uploads.calls import purge_uploads
from ingest.uploads.spool import tidy_spool
from providers.protocols import Embedder, ProviderError

log = logging.getLogger(__name__)

PUBLISH = "publish_version"
# Small documents share a call to the provider, so a few are claimed together; a crew shares them.
_CLAIMED_TOGETHER = 8
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
# Batches a set that is kept up gets in one round of upkeep: new documents come first.
_KEPT_UP_BATCHES = 10
# A wait for news is cut into pieces this long, so that a stop is heard soon.
_LISTENING_SECONDS = 0.5
_A_MOMENT = 0.01


def run(
    url: str,
    *,
    embedder: Embedder | None = None,
    once: bool = False,
    stop: threading.Event | None = None,
    settings: Settings | None = None,
    fetcher: Fetcher | None = None,
    concurrency: int = 1,
) -> int:
    """Work until `stop` is set, or with `once` until nothing is ready; the number of tasks done.

    `stop` is also set by a failure. So many batches as `concurrency` says are worked on at a
    time, each on a connection of its own. Without an embedder the one of the active embedding set
    is used, and changed with it; without a fetcher one that reaches public sites only. A database
    that goes away is waited for; with `once`, or when it was never there, its OperationalError is
    raised.
    """
    stop = stop or threading.Event()
    settings = settings or settings_from()
    crew = [
        _Worker(
            url,
            embedder,
            stop,
            settings,
            fetcher,
            at_a_time=math.ceil(_CLAIMED_TOGETHER / concurrency),
            keeps_house=number == 0,
        )
        for number in range(concurrency)
    ]

    def work(worker: _Worker) -> int:
        try:
            return worker.run(once=once)
        except BaseException:
            # what ends one ends all: a wrong embedder, a database that was never there
            stop.set()
            raise

    with ThreadPoolExecutor(concurrency, thread_name_prefix="worker") as pool:
        others = [pool.submit(work, worker) for worker in crew[1:]]
        done = work(crew[0])
        return done + sum(other.result() for other in others)


class _Worker:
    def __init__(
        self,
        url: str,
        embedder: Embedder | None,
        stop: threading.Event,
        settings: Settings,
        fetcher: Fetcher | None,
        *,
        at_a_time: int,
        keeps_house: bool,
    ) -> None:
        self._url = url
        self._given = embedder
        self._own: tuple[EmbeddingSet, Embedder] | None = None
        self._stop = stop
        self._settings = settings
        self._lease = timedelta(seconds=settings.lease_seconds)
        self._name = holder_name()
        self._pages = fetch_page.PageFetcher(limits=settings.limits, fetcher=fetcher)
        self._uploads = read_upload.UploadReader(
            settings.upload_dir, limits=settings.limits, stop=stop
        )
        self._kinds = [PUBLISH, fetch_page.KIND, validate_batch.KIND]
        if settings.upload_dir is not None:
            self._kinds.append(read_upload.KIND)
        self._crawler = crawl_job.Crawler(fetcher=self._pages.fetcher, sandbox=self._pages.sandbox)
        self._done = 0
        self._at_a_time = at_a_time
        # one of a crew looks after the database
        self._next_upkeep = 0.0 if keeps_house else math.inf
        self._keeps_house = keeps_house

    def run(self, *, once: bool) -> int:
        pause = _FIRST_PAUSE
        connected = False
        with ExitStack() as stack:
            stack.callback(self._close_own)
            stack.enter_context(self._pages)
            stack.enter_context(self._uploads)
            keeper = stack.enter_context(LeaseKeeper(self._url, lease=self._lease))
            while not self._stop.is_set():
                try:
                    with closing(connect(self._url)) as db:
                        connected = True
                        queue.listen(db)
                        pause = _FIRST_PAUSE
                        self._serve(db, keeper, once=once)
                        return self._done
                except psycopg.OperationalError as error:
                    if once or not connected:
                        raise
                    log.warning("database lost, trying again in %.1f s: %s", pause, words_of(error))
                    self._stop.wait(pause)
                    pause = min(pause * 2, _LONGEST_PAUSE)
        return self._done

    def _serve(self, db: psycopg.Connection, keeper: LeaseKeeper, *, once: bool) -> None:
        while not self._stop.is_set():
            self._keep_up(db)
            tasks = [
                *self._claim(db, self._kinds, at_most=self._at_a_time),
                # a site may be slow: its run must not keep others from being worked on
                *self._claim(db, [crawl_job.KIND], at_most=1),
            ]
            if tasks:
                self._work(db, keeper, tasks)
            elif once:
                if self._keeps_house:
                    self._next_upkeep = 0.0
                    self._keep_up(db)
                return
            else:
                self._wait(db)

    def _claim(
        self, db: psycopg.Connection, kinds: Sequence[str], *, at_most: int
    ) -> list[queue.Task]:
        return queue.claim_tasks(
            db, worker=self._name, batch_size=at_most, lease=self._lease, kinds=kinds
        )

    def _work(
        self, db: psycopg.Connection, keeper: LeaseKeeper, tasks: Sequence[queue.Task]
    ) -> None:
        works: list[Work] = []
        others: list[tuple[queue.Task, Lease]] = []
        for task in tasks:
            lease = Lease(task.task_id, task.lease_token)
            keeper.hold(lease)
            if task.kind == PUBLISH:
                works.append(Work(task.subject_id, lease))
            else:
                others.append((task, lease))
        self._publish(db, keeper, works)
        try:
            for task, lease in others:
                if self._stop.is_set():
                    give_back(db, lease, "the worker was stopped", pause=timedelta(0))
                else:
                    self._done += self._do(db, task, lease)
                keeper.let_go(lease)
        finally:
            # after an error the leases run out by themselves
            for _, lease in others:
                keeper.let_go(lease)

    def _do(self, db: psycopg.Connection, task: queue.Task, lease: Lease) -> bool:
        match task.kind:
            case read_upload.KIND:
                return self._uploads.do(db, read_upload.UploadWork(task.subject_id, lease))
            case validate_batch.KIND:
                return validate_batch.judge(db, task.subject_id, lease)
            case crawl_job.KIND:
                return self._crawler.do(db, crawl_job.JobWork(task.subject_id, lease))
            case _:
                return self._pages.do(db, fetch_page.PageWork(task.subject_id, lease))

    def _publish(self, db: psycopg.Connection, keeper: LeaseKeeper, works: Sequence[Work]) -> None:
        if not works:
            return
        try:
            publisher = self._publisher(db, keeper)
        except ProviderError as error:
            for work in works:
                keeper.let_go(work.lease)
                reason = f"embedding failed, {error}"
                give_back(db, work.lease, reason, pause=pause_after(error))
            log.warning("no embedder: %s", error)
            return
        try:
            for done in publisher.publish(db, works):
                if done.published is None:
                    log.warning("version %d: %s", done.work.version_id, done.failure)
                else:
                    self._done += 1
                    log.info(
                        "document %s version %s published, %d chunks embedded",
                        done.published.document_id,
                        done.published.version,
                        done.embedded,
                    )
        finally:
            # after an error the leases run out by themselves
            for work in works:
                keeper.let_go(work.lease)

    def _publisher(self, db: psycopg.Connection, keeper: LeaseKeeper) -> Publisher:
        active = active_set(db)
        embedder = self._given or self._own_embedder(active)
        check_embedder(embedder, active)
        return Publisher(
            embedder=embedder,
            active=active,
            keeper=keeper,
            batch_size=self._settings.embed_batch,
            stop=self._stop,
        )

    def _own_embedder(self, active: EmbeddingSet) -> Embedder:
        if self._own is None or self._own[0] != active:
            self._close_own()
            self._own = (active, chosen_embedder(active))
        return self._own[1]

    def _close_own(self) -> None:
        if self._own is not None:
            self._own[1].close()
            self._own = None

    def _keep_up(self, db: psycopg.Connection) -> None:
        """Housekeeping, once in a while; a fault in it stops no document."""
        if time.monotonic() < self._next_upkeep:
            return
        self._next_upkeep = time.monotonic() + self._settings.upkeep_seconds
        for keep in (
            calls.fold_statistics,
            calls.refresh_postings,
            purge_queries,
            calls.purge_records,
            calls.purge_conversations,
            calls.purge_people,
            calls.discard_abandoned,
            purge_batches,
            purge_uploads,
            self._tidy_spool,
            purge_jobs,
            start_due,
        ):
            try:
                keep(db)
            except psycopg.Error as error:
                if db.closed:
                    raise
                log.warning("upkeep %s: %s", keep.__name__, words_of(error))
        try:
            self._keep_sets_up(db)
        except ProviderError as error:
            log.warning("keeping an embedding set up: %s", error)
        except psycopg.Error as error:
            if db.closed:
                raise
            log.warning("keeping an embedding set up: %s", words_of(error))

    def _tidy_spool(self, db: psycopg.Connection) -> None:
        if self._settings.upload_dir is not None:
            try:
                tidy_spool(db, self._settings.upload_dir)
            except OSError as error:
                log.warning("the spool of uploads cannot be tidied: %s", error.strerror)

    def _keep_sets_up(self, db: psycopg.Connection) -> None:
        """New documents get their vectors also in the set a switch went away from, so that the
        searches can go back to it.
        """
        for kept in sets_to_keep_up(db):
            embedder = chosen_embedder(kept)
            try:
                Filler(
                    self._url,
                    set_name=kept.name,
                    embedder=embedder,
                    pace=Pace(batch=self._settings.embed_batch),
                    stop=self._stop,
                ).run(at_most=_KEPT_UP_BATCHES * self._settings.embed_batch)
            finally:
                embedder.close()

    def _wait(self, db: psycopg.Connection) -> None:
        """Until a task is announced, it is time to look again, or a stop."""
        wait = self._settings.poll_seconds
        ready = queue.next_ready(db, kinds=[*self._kinds, crawl_job.KIND])
        if ready is not None:
            # nobody announces that an instant has come; one moment more, so as not to be early
            wait = min(wait, max(ready.total_seconds(), 0) + _A_MOMENT)
        until = min(time.monotonic() + wait, self._next_upkeep)
        while not self._stop.is_set() and (left := until - time.monotonic()) > 0:
            for _ in queue.notified(db, timeout=min(left, _LISTENING_SECONDS)):
                return
