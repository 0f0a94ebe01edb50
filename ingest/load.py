"""Files into the knowledge base: parse, stage, embed, publish, file by file.

A bad file never stops the others. Parsing the next files, staging the current ones and embedding
and publishing those before overlap, two batches of them at a time; small documents share a call to
the embedding provider and a transaction that publishes them.
"""

import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import psycopg

from ingest import calls
from ingest.archive.items import opened_archives
from ingest.archive.limits import archive_limits_from
from ingest.connect import PatientConnection, connect, holder_name
from ingest.embedding.calls import EmbeddingSet, active_set
from ingest.embedding.embedders import check_embedder, chosen_embedder
from ingest.errors import OptionError, again_if_passing, is_passing, is_refusal, words_of
from ingest.items import FileResult, FileStatus, Item, Progress, Stage
from ingest.parse import Parsed, Refused, Sandbox
from ingest.parse.clean import clean_line
from ingest.parsing import parsed_ahead
from ingest.paths import longer_names, origin_of
from ingest.publishing import Publishing
from ingest.queue import calls as queue
from ingest.queue.leases import Lease, LeaseKeeper
from ingest.settings import Settings, settings_from
from ingest.tasks.publish_version import Done, Work
from ingest.titles import title_of
from ingest.upkeep.calls import fold_statistics
from providers.protocols import Embedder

# Characters of others' texts that are kept until it is known what became of them.
_MOST_DEFERRED = 5_000_000
_SETTLE_PAUSE = 0.25


def check_options(db: psycopg.Connection, items: Sequence[Item]) -> None:
    """Raise OptionError for an unknown area, school, tag or publisher among the items' options."""
    ranks = {item.authority for item in items if item.authority}
    tags = {tag for item in items for tag in item.tags}
    scopes = {
        calls.Readers(item.la_code, item.school_urn, item.owner, item.principals) for item in items
    }
    try:
        calls.check_ranks(db, authorities=sorted(ranks))
        calls.check_tags(db, tags=sorted(tags))
        # made and taken back in one transaction: two runs may name the same new ones
        again_if_passing(lambda: calls.check_scopes(db, scopes=sorted(scopes, key=repr)))
    except psycopg.Error as error:
        if not is_refusal(error):
            raise
        raise OptionError(words_of(error)) from error


def load_paths(
    url: str,
    items: Sequence[Item],
    *,
    embedder: Embedder | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    settings: Settings | None = None,
) -> Generator[FileResult, None, None]:
    """Ingest files; yields one result per file as it is finished.

    An archive gives a result for itself and one for each file in it. Closed early it gives back to
    the queue what it began.

    Without an embedder the one of the active embedding set is used. Raises OptionError before
    anything is read when an option is refused, IngestError when the embedder does not fit the
    active set, psycopg.OperationalError when the database cannot be reached.
    """
    settings = settings or settings_from()
    with ExitStack() as stack:
        with closing(connect(url)) as db:
            check_options(db, items)
            active = active_set(db)
            opened = stack.enter_context(opened_archives(db, items, limits=archive_limits_from()))
        if embedder is None:
            embedder = chosen_embedder(active)
            stack.callback(embedder.close)
        check_embedder(embedder, active)
        yield from opened.results

        def tell(progress: Progress) -> None:
            on_progress(opened.shown_progress(progress))

        load = _Load(url, opened.items, embedder, active, tell, settings)
        yield from map(opened.shown, stack.enter_context(closing(load.run())))


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """SIGTERM is heard as Ctrl-C is, so that what was begun is given back. In the main thread."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A staged document on its way, and the result it will have."""

    work: Work
    result: FileResult
    started: float


@dataclass(frozen=True, slots=True)
class _Deferred:
    """A text that somebody else was adding when we came."""

    new: calls.NewDocument
    result: FileResult
    started: float


class _Load:
    """One run over a list of files: parsing, staging and publishing, each beside the others."""

    def __init__(
        self,
        url: str,
        items: Sequence[Item],
        embedder: Embedder,
        active: EmbeddingSet,
        on_progress: Callable[[Progress], None],
        settings: Settings,
    ) -> None:
        self._items = items
        self._settings = settings
        self._on_progress = on_progress
        self._holder = holder_name()
        self._files_done = 0
        self._chunks = 0
        self._chunks_done = 0
        self._waiting: dict[int, _Waiting] = {}
        self._next_batch: list[tuple[Work, int]] = []
        self._deferred: list[_Deferred] = []
        self._stored_any = False
        self._db = PatientConnection(url)
        self._counting = threading.Lock()
        self._keeper = LeaseKeeper(url, lease=timedelta(seconds=settings.lease_seconds))
        self._publishing = Publishing(
            url,
            embedder=embedder,
            active=active,
            keeper=self._keeper,
            batch_size=settings.embed_batch,
            on_embedded=self._embedded,
        )

    def run(self) -> Generator[FileResult, None, None]:
        with ExitStack() as stack:
            stack.callback(self._db.close)
            stack.enter_context(self._keeper)
            stack.callback(self._give_back)
            sandbox = stack.enter_context(Sandbox(self._settings.limits))
            parsed = stack.enter_context(
                closing(parsed_ahead(self._items, sandbox, lookahead=self._settings.lookahead))
            )
            for item, started, outcome in parsed:
                self._tell(item.path, "parse")
                result = self._take(item, started, outcome)
                if result is not None:
                    yield self._count(result)
                if self._next_chunks() >= self._settings.embed_batch:
                    yield from self._send_off()
            yield from self._finish()
            yield from self._settle()
            if self._stored_any and self._db.is_open:
                # searches stay fast after many new documents; a worker does the same each minute
                fold_statistics(self._db.get())

    def _take(self, item: Item, started: float, outcome: Parsed | Refused) -> FileResult | None:
        """Stage a parsed file; its result when that ends it, None when it comes later."""
        source = clean_line(item.source or item.path.name)
        base = FileResult(path=item.path, source=source, status="refused")
        if isinstance(outcome, Refused):
            return _timed(replace(base, reason=outcome.reason), started)
        title = title_of(item.source or item.path.name, item.title, outcome.title)
        base = replace(base, title=title, warnings=outcome.warnings)
        found_at = item.found_at or (item.path if item.source is None else None)
        new = calls.NewDocument(
            source=source,
            title=title,
            title_is_stated=item.title is not None,
            origin=origin_of(found_at) if found_at else None,
            other_sources=longer_names(found_at, source) if found_at else (),
            body=outcome.text,
            file_type=outcome.file_type,
            la_code=item.la_code,
            school_urn=item.school_urn,
            owner=item.owner,
            principals=item.principals,
            tags=item.tags,
            authority=item.authority,
            document_type=item.document_type,
            effective_date=item.effective_date,
            metadata=outcome.metadata,
        )
        result = self._stage(new, base, started)
        if (
            result is not None
            and result.status == "in_progress"
            and sum(len(one.new.body) for one in self._deferred) < _MOST_DEFERRED
        ):
            self._deferred.append(_Deferred(new, base, started))
            return None
        return result

    def _stage(self, new: calls.NewDocument, base: FileResult, started: float) -> FileResult | None:
        """Stage a text; its result when that ends it, None when it has to be embedded."""
        try:
            staged = self._with_database(
                lambda db: calls.stage_document(db, new=new, lease_holder=self._holder)
            )
        except psycopg.Error as error:
            status: FileStatus = "refused" if is_refusal(error) else "failed"
            return _timed(replace(base, status=status, reason=words_of(error)), started)
        base = replace(
            base,
            source=staged.kept_as,
            document_id=staged.document_id,
            chunks=staged.chunk_count,
        )
        if staged.task_id is None or staged.lease_token is None:
            # of what this very run is adding a copy is a duplicate, and no news
            ours = staged.version_id in self._waiting
            return _timed(_already_there(base, staged, ours=ours), started)
        work = Work(staged.version_id, Lease(staged.task_id, staged.lease_token))
        self._keeper.hold(work.lease)
        self._waiting[work.version_id] = _Waiting(work, base, started)
        self._next_batch.append((work, staged.chunk_count))
        self._chunks += staged.chunk_count
        return None

    def _next_chunks(self) -> int:
        return sum(chunks for _, chunks in self._next_batch)

    def _send_off(self) -> Iterator[FileResult]:
        """Embed and publish the next batch in the background, when there is room beside others."""
        while self._publishing.is_full:
            yield from self._come_in()
        if not self._next_batch:
            return
        # what does not fit begins the next one: a batch that is one call to the provider and one
        # transaction keeps the one behind it waiting for its turn only a moment
        fits = self._next_chunks() <= self._settings.embed_batch or len(self._next_batch) == 1
        rest = [] if fits else [self._next_batch.pop()]
        works = [work for work, _ in self._next_batch]
        self._next_batch = rest
        self._publishing.send_off(works)

    def _come_in(self) -> Iterator[FileResult]:
        """The results of the batch that was sent off first."""
        results = [self._finished(done) for done in self._publishing.come_in()]
        for result in results:
            yield self._count(result)

    def _finish(self) -> Iterator[FileResult]:
        """Send off what is left, and wait for all of it."""
        while self._next_batch:
            yield from self._send_off()
        while not self._publishing.is_empty:
            yield from self._come_in()

    def _settle(self) -> Iterator[FileResult]:
        """What became of the texts that others were adding; what they left lying is taken over."""
        until = time.monotonic() + self._settings.settle_seconds
        while self._deferred:
            deferred, self._deferred = self._deferred, []
            for one in deferred:
                result = self._stage(one.new, one.result, one.started)
                if result is None:
                    continue
                if result.status == "in_progress" and time.monotonic() < until:
                    self._deferred.append(one)
                else:
                    yield self._count(result)
            yield from self._finish()
            if self._deferred:
                time.sleep(_SETTLE_PAUSE)

    def _finished(self, done: Done) -> FileResult:
        waiting = self._waiting.pop(done.work.version_id)
        if done.published is None:
            reason = (
                f"{done.failure}; its text is kept, `pgkb worker` or another ingest finishes it"
            )
            return _timed(replace(waiting.result, status="failed", reason=reason), waiting.started)
        self._stored_any = True
        return _timed(
            replace(
                waiting.result,
                status="stored",
                version=done.published.version,
                embedded=done.embedded,
                superseded=tuple(done.published.superseded_documents or ()),
            ),
            waiting.started,
        )

    def _embedded(self, work: Work, count: int) -> None:
        with self._counting:
            self._chunks_done += count
        if (waiting := self._waiting.get(work.version_id)) is not None:
            self._tell(waiting.result.path, "embed")

    def _count(self, result: FileResult) -> FileResult:
        self._files_done += 1
        self._tell(result.path, "done")
        return result

    def _tell(self, path: Path, stage: Stage) -> None:
        self._on_progress(
            Progress(
                files_done=self._files_done,
                files=len(self._items),
                chunks_done=self._chunks_done,
                chunks=self._chunks,
                path=path,
                stage=stage,
            )
        )

    def _with_database(self, call: Callable[[psycopg.Connection], calls.Staged]) -> calls.Staged:
        """Do it, again after a deadlock, and once more on a new connection when it was lost."""
        for _ in range(3):
            db = self._db.get()
            try:
                return call(db)
            except psycopg.Error as error:
                if not (db.closed or is_passing(error)):
                    raise
        return call(self._db.get())

    def _give_back(self) -> None:
        """Interrupted: let a worker go on at once; what is under way meanwhile is fenced off."""
        self._publishing.close()
        if not self._db.is_open:
            return
        for waiting in self._waiting.values():
            lease = waiting.work.lease
            try:
                queue.release_task(
                    self._db.get(), task_id=lease.task_id, lease_token=lease.lease_token
                )
            except psycopg.Error:
                return


def _already_there(base: FileResult, staged: calls.Staged, *, ours: bool) -> FileResult:
    match staged.outcome:
        case "unchanged":
            return replace(base, status="unchanged", reason="this text is there already")
        case "updated":
            return replace(base, status="updated", reason="the text is the same, facts changed")
        case "in_progress" if not ours:
            return replace(
                base,
                status="in_progress",
                task_id=staged.task_id,
                reason=f"the same text is being added as {staged.existing_source}: "
                f"`pgkb jobs show {staged.task_id}`",
            )
    return replace(
        base,
        status="duplicate",
        existing=staged.existing_source,
        document_id=staged.existing_document_id,
        reason=f"the same text is there as {staged.existing_source} "
        f"(document {staged.existing_document_id})",
    )


def _timed(result: FileResult, started: float) -> FileResult:
    return replace(result, seconds=round(time.monotonic() - started, 3))
