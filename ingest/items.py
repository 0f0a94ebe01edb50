"""What is to be ingested, and what became of it."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

FileStatus = Literal[
    "stored", "updated", "duplicate", "unchanged", "in_progress", "refused", "failed", "unpacked"
]
Stage = Literal["parse", "embed", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A file and what people say about it.

    `source` is the name the document is kept under, and its identity; the file's own name when not
    given. `found_at` says where it lies when the name only comes from there: equal names of two
    places are told apart. Without a title the document's own is taken. `owner` and `principals`
    make a document private.
    """

    path: Path
    source: str | None = None
    found_at: Path | None = None
    la_code: str | None = None
    school_urn: str | None = None
    tags: tuple[str, ...] = ()
    authority: str | None = None
    title: str | None = None
    document_type: str | None = None
    effective_date: date | None = None
    owner: str | None = None
    principals: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one file.

    stored       a new version is visible; `superseded` are the documents it replaced
    unchanged    this source has this text already
    updated      this source has this text; facts that were given now were corrected
    duplicate    the same text is there under another source: `existing`
    in_progress  somebody else is adding this text, or it waits for a worker: task `task_id`
    refused      the file or an option is no good: `reason` says what to do
    failed       something else went wrong; the text is kept and a worker goes on with it
    unpacked     an archive: its files have results of their own, `reason` says what it held
    """

    path: Path
    source: str
    status: FileStatus
    reason: str | None = None
    title: str | None = None
    document_id: int | None = None
    version: int | None = None
    chunks: int = 0
    embedded: int = 0
    existing: str | None = None
    task_id: int | None = None
    superseded: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an ingest is: files finished of all, and chunks embedded of those known so far."""

    files_done: int
    files: int
    chunks_done: int
    chunks: int
    path: Path
    stage: Stage
