"""Task `read_upload`: parse what was handed in, a file or each of an archive, and stage its text.

Each file's text and what became of it are one statement, which does nothing for a worker that lost
its lease. A worker that goes on after another's death passes over what was read before. Publishing
is a task of its own.
"""

import logging
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Self

import psycopg

from ingest.archive.items import opened_archives
from ingest.archive.limits import ArchiveLimits, archive_limits_from
from ingest.archive.unpack import is_archive
from ingest.errors import again_if_passing, is_refusal, words_of
from ingest.items import Item
from ingest.parse import Limits, Refused, Sandbox
from ingest.queue import calls as queue
from ingest.queue.leases import Lease
from ingest.titles import title_of
from ingest.uploads import calls

log = logging.getLogger(__name__)

KIND = "read_upload"
# what the status of an upload says of a fault that is ours: the detail is for the log
_NOT_STORED = "its text could not be stored: it is tried again"
_NOT_THERE = (
    "its bytes are not where this worker looks: the app and all workers need one PGKB_UPLOAD_DIR"
)
_NO_ARCHIVE = "no ZIP archive, or a damaged one: hand in a document by itself, or pack it again"


@dataclass(frozen=True, slots=True)
class UploadWork:
    """An upload and the task that stands for it."""

    upload_id: int
    lease: Lease


class _GaveUp(Exception):
    """The task is somebody else's by now, or was given back."""


class UploadReader:
    """Does the tasks of one worker, one after the other. Use it as a context manager.

    The process that parses starts with the first upload.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        limits: Limits,
        stop: threading.Event,
        archive_limits: ArchiveLimits | None = None,
    ) -> None:
        self.folder = folder
        self._sandbox = Sandbox(limits)
        self._stop = stop
        self._archive_limits = archive_limits or archive_limits_from()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._sandbox.close()

    def do(self, db: psycopg.Connection, work: UploadWork) -> bool:
        """Read an upload; whether its task is done.

        Raises OperationalError when the database is gone.
        """
        upload = calls.upload(db, upload_id=work.upload_id)
        if upload is None:
            return queue.finish_task(
                db, task_id=work.lease.task_id, lease_token=work.lease.lease_token
            )
        path = self.folder / upload.spool_name if self.folder else None
        if path is None or not path.is_file():
            return self._again_later(db, work, _NOT_THERE)
        try:
            done = self._read(db, work, upload, path)
        except _GaveUp:
            return False
        except psycopg.Error as error:
            if db.closed:
                raise
            log.warning("upload %d: %s", work.upload_id, words_of(error))
            return self._again_later(db, work, _NOT_STORED)
        except OSError as error:
            return self._again_later(db, work, f"it could not be read ({error.strerror})")
        if done:
            path.unlink(missing_ok=True)
        return done

    def _read(
        self, db: psycopg.Connection, work: UploadWork, upload: calls.Upload, path: Path
    ) -> bool:
        refusal = remark = None
        with ExitStack() as stack:
            items: Sequence[Item] = [Item(path=path, source=upload.file_name)]
            if upload.kind == "archive":
                if not is_archive(path):
                    return calls.finish_upload(
                        db, upload_id=upload.upload_id, lease=work.lease, refusal=_NO_ARCHIVE
                    )
                opened = stack.enter_context(
                    opened_archives(db, items, limits=self._archive_limits)
                )
                # the first is the archive's own
                itself, *refused = opened.results
                items = opened.items
                if itself.status == "refused":
                    refusal = itself.reason
                else:
                    remark = itself.reason
                for place, result in enumerate(refused, start=len(items) + 1):
                    if place not in upload.read:
                        reason = result.reason or "it was left out"
                        self._refuse(db, work, place, result.source, reason)
            for place, item in enumerate(items, start=1):
                if place not in upload.read:
                    self._take(db, work, upload, place, item)
            return calls.finish_upload(
                db, upload_id=upload.upload_id, lease=work.lease, refusal=refusal, remark=remark
            )

    def _take(
        self,
        db: psycopg.Connection,
        work: UploadWork,
        upload: calls.Upload,
        place: int,
        item: Item,
    ) -> None:
        """Parse and stage one file, or say why not. Raises _GaveUp when the task is lost."""
        if self._stop.is_set():
            queue.release_task(db, task_id=work.lease.task_id, lease_token=work.lease.lease_token)
            raise _GaveUp
        name = item.source or upload.file_name
        try:
            parsed = self._sandbox.parse(item.path)
        except Refused as refused:
            self._refuse(db, work, place, name, refused.reason)
            return
        file = calls.NewFile(
            place=place,
            name=name,
            title=title_of(name, upload.title, parsed.title),
            body=parsed.text,
            file_type=parsed.file_type,
            metadata=parsed.metadata,
            tags=item.tags,
        )
        try:
            outcome = again_if_passing(
                lambda: calls.stage_upload_file(
                    db, upload_id=upload.upload_id, lease=work.lease, file=file
                )
            )
        except psycopg.Error as error:
            if db.closed or not is_refusal(error):
                raise
            self._refuse(db, work, place, name, words_of(error))
            return
        if outcome is None:
            raise _GaveUp
        log.info("upload %d, file %d: %s", work.upload_id, place, outcome)

    def _refuse(
        self, db: psycopg.Connection, work: UploadWork, place: int, name: str, reason: str
    ) -> None:
        log.info("upload %d, file %d: refused, %s", work.upload_id, place, reason)
        if not calls.refuse_upload_file(
            db,
            upload_id=work.upload_id,
            lease=work.lease,
            place=place,
            name=name,
            reason=reason,
        ):
            raise _GaveUp

    def _again_later(self, db: psycopg.Connection, work: UploadWork, reason: str) -> bool:
        log.warning("upload %d: %s", work.upload_id, reason)
        queue.fail_task(
            db,
            task_id=work.lease.task_id,
            lease_token=work.lease.lease_token,
            reason=reason,
            wait=timedelta(0),
        )
        return False
