"""Files into the knowledge base: parse, stage, embed, publish, file by file.

A bad file never stops the others. Parsing the next files overlaps with embedding the current
ones; small documents share a call to the embedding provider.
"""

import re
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from pathlib import Path, PurePath

import psycopg

from ingest import calls
from ingest.archive.items import opened_archives
from ingest.archive.limits import archive_limits_from
from ingest.connect import connect, holder_name
from ingest.embedding import check_embedder, chosen_embedder
from ingest.errors import OptionError, is_passing, is_refusal, words_of
from ingest.items import FileResult, FileStatus, Item, Progress, Stage
from ingest.leases import Lease, LeaseKeeper
from ingest.parse import Parsed, Refused, Sandbox
from ingest.parse.clean import clean_line
from ingest.settings import Settings, settings_from
from ingest.tasks.publish_version import Done, Publisher, Work
from providers.protocols import Embedder

_LONGEST_TITLE = 300
_NAME_BREAKS = re.compile(r"[_\s]+|(?<=[^\W\d])-(?=[^\W\d])")
_CONNECT_TRIES = 5


def check_options(db: psycopg.Connection, items: Sequence[Item]) -> None:
    """Raise OptionError for an unknown area, school, tag or publisher among the items' options."""
    scopes = {(item.la_code, item.school_urn, item.owner, item.principals) for item in items}
    tags = {item.tags for item in items if item.tags}
    ranks = {item.authority for item in items if item.authority}
    try:
        for rank in sorted(ranks):
            calls.check_rank(db, authority=rank)
        for chosen in sorted(tags):
            calls.check_tags(db, tags=chosen)
        for la_code, school_urn, owner, principals in sorted(scopes, key=repr):
            calls.check_scope(
                db, la_code=la_code, school_urn=school_urn, owner=owner, principals=principals
            )
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
) -> Iterator[FileResult]:
    """Ingest files; yields one result per file as it is finished.

    An archive gives a result for itself and one for each file in it.
    Without an embedder the one of the active embedding set is used. Raises OptionError before
    anything is read when an option is refused, IngestError when the embedder does not fit the
    active set, psycopg.OperationalError when the database cannot be reached.
    """
    settings = settings or settings_from()
    with ExitStack() as stack:
        with closing(connect(url)) as db:
            check_options(db, items)
            active = calls.active_set(db)
            opened = stack.enter_context(opened_archives(db, items, limits=archive_limits_from()))
        if embedder is None:
            embedder = chosen_embedder(active)
            stack.callback(embedder.close)
        check_embedder(embedder, active)
        yield from opened.results

        def tell(progress: Progress) -> None:
            on_progress(opened.shown_progress(progress))

        load = _Load(url, opened.items, embedder, active.name, tell, settings)
        yield from map(opened.shown, stack.enter_context(closing(load.run())))


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A staged document on its way, and the result it will have."""

    work: Work
    result: FileResult
    started: float


class _Load:
    """One run over a list of files."""

    def __init__(
        self,
        url: str,
        items: Sequence[Item],
        embedder: Embedder,
        set_name: str,
        on_progress: Callable[[Progress], None],
        settings: Settings,
    ) -> None:
        self._url = url
        self._items = items
        self._settings = settings
        self._on_progress = on_progress
        self._holder = holder_name()
        self._files_done = 0
        self._chunks = 0
        self._chunks_done = 0
        self._waiting: dict[int, _Waiting] = {}
        self._waiting_chunks = 0
        self._stored_any = False
        self._db: psycopg.Connection | None = None
        self._connect_failures = 0
        self._keeper = LeaseKeeper(url, lease=timedelta(seconds=settings.lease_seconds))
        self._publisher = Publisher(
            embedder=embedder,
            set_name=set_name,
            keeper=self._keeper,
            batch_size=settings.embed_batch,
            on_embedded=self._embedded,
        )

    def run(self) -> Generator[FileResult, None, None]:
        with ExitStack() as stack:
            stack.callback(self._close)
            stack.enter_context(self._keeper)
            stack.callback(self._give_back)
            sandbox = stack.enter_context(Sandbox(self._settings.limits))
            parsed = stack.enter_context(closing(self._parsed(sandbox)))
            for item, started, outcome in parsed:
                self._tell(item.path, "parse")
                result = self._stage(item, started, outcome)
                if result is not None:
                    yield self._count(result)
                if self._waiting_chunks >= self._settings.embed_batch:
                    yield from self._publish()
            yield from self._publish()
            self._fold()

    def _parsed(
        self, sandbox: Sandbox
    ) -> Generator[tuple[Item, float, Parsed | Refused], None, None]:
        """The items with what parsing gave, some files parsed ahead."""

        def parse(item: Item) -> tuple[float, Parsed | Refused]:
            started = time.monotonic()
            outcome: Parsed | Refused
            try:
                outcome = (
                    Refused("crash", "interrupted")
                    if gone
                    else sandbox.parse(item.path, source_url=_address(item))
                )
            except Refused as refused:
                outcome = refused
            except OSError as error:
                outcome = Refused("crash", f"it could not be parsed ({error.strerror}): try again")
            return time.monotonic() - started, outcome

        gone: list[bool] = []
        finished = False
        rest = iter(self._items)
        with ThreadPoolExecutor(1, thread_name_prefix="parse") as parser:
            ahead = deque(
                (item, parser.submit(parse, item))
                for item in islice(rest, self._settings.lookahead)
            )
            try:
                while ahead:
                    item, future = ahead.popleft()
                    ahead.extend((more, parser.submit(parse, more)) for more in islice(rest, 1))
                    seconds, outcome = future.result()
                    yield item, time.monotonic() - seconds, outcome
                finished = True
            finally:
                # nobody waits for what was parsed ahead
                gone.append(True)
                if not finished:
                    sandbox.interrupt()

    def _stage(self, item: Item, started: float, outcome: Parsed | Refused) -> FileResult | None:
        """Stage a parsed file; its result when that ends it, None when it has to be embedded."""
        source = clean_line(item.source or item.path.name)
        base = FileResult(path=item.path, source=source, status="refused")
        if isinstance(outcome, Refused):
            return _timed(replace(base, reason=outcome.reason), started)
        title = _title(item, outcome)
        base = replace(base, title=title, warnings=outcome.warnings)
        new = calls.NewDocument(
            source=source,
            title=title,
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
        try:
            staged = self._with_database(
                lambda db: calls.stage_document(db, new=new, lease_holder=self._holder)
            )
        except psycopg.Error as error:
            status: FileStatus = "refused" if is_refusal(error) else "failed"
            return _timed(replace(base, status=status, reason=words_of(error)), started)
        base = replace(base, document_id=staged.document_id, chunks=staged.chunk_count)
        if staged.task_id is None or staged.lease_token is None:
            return _timed(_already_there(base, staged), started)
        work = Work(staged.version_id, Lease(staged.task_id, staged.lease_token))
        self._keeper.hold(work.lease)
        self._waiting[work.version_id] = _Waiting(work, base, started)
        self._waiting_chunks += staged.chunk_count
        self._chunks += staged.chunk_count
        return None

    def _publish(self) -> Iterator[FileResult]:
        """Embed and publish what is waiting."""
        works = [waiting.work for waiting in self._waiting.values()]
        self._waiting_chunks = 0
        if not works:
            return
        try:
            for done in self._publisher.publish(self._connected(), works):
                yield self._count(self._finished(done))
        except psycopg.Error as error:
            # the connection is gone; what is staged stays, and a worker goes on with it
            reason = words_of(error)
            for work in works:
                if work.version_id in self._waiting:
                    self._keeper.let_go(work.lease)
                    yield self._count(self._finished(Done(work, failure=reason)))

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
                superseded=tuple(done.published.superseded_documents),
            ),
            waiting.started,
        )

    def _embedded(self, work: Work, count: int) -> None:
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
            db = self._connected()
            try:
                return call(db)
            except psycopg.Error as error:
                if not (db.closed or is_passing(error)):
                    raise
        return call(self._connected())

    def _connected(self) -> psycopg.Connection:
        """The connection, opened again with patience when the server went away."""
        while self._db is None or self._db.closed:
            try:
                self._db = connect(self._url)
            except psycopg.OperationalError:
                self._connect_failures += 1
                # the patience is for the whole run, not for each of a thousand files
                if self._connect_failures >= _CONNECT_TRIES:
                    raise
                time.sleep(0.25 * 2**self._connect_failures)
        return self._db

    def _give_back(self) -> None:
        """Interrupted: let a worker go on at once instead of when the leases run out."""
        if self._db is None or self._db.closed:
            return
        for waiting in self._waiting.values():
            lease = waiting.work.lease
            try:
                calls.fail_task(
                    self._db,
                    task_id=lease.task_id,
                    lease_token=lease.lease_token,
                    reason="the ingest was interrupted",
                )
            except psycopg.Error:
                return

    def _fold(self) -> None:
        """Keep searches fast after many new documents; a worker does the same each minute."""
        if self._stored_any and self._db is not None and not self._db.closed:
            calls.fold_statistics(self._db)

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()


def _address(item: Item) -> str | None:
    """Where a file was fetched from, None for one that was uploaded."""
    source = item.source or ""
    return source if source.startswith(("http://", "https://")) else None


def _already_there(base: FileResult, staged: calls.Staged) -> FileResult:
    if staged.outcome == "unchanged":
        return replace(base, status="unchanged", reason="this text is there already")
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


def _title(item: Item, parsed: Parsed) -> str:
    """The given title, else the document's own, else the file's name as words."""
    for title in (item.title, parsed.title):
        if title and (cleaned := clean_line(title)):
            return cleaned[:_LONGEST_TITLE].rstrip()
    stem = PurePath(item.source or item.path.name).stem
    words = clean_line(_NAME_BREAKS.sub(" ", stem))
    return (words[:1].upper() + words[1:])[:_LONGEST_TITLE] or "Untitled"
