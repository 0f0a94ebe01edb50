"""Archives among the files to ingest become the files they hold."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg

from ingest.archive import calls
from ingest.archive.limits import ArchiveLimits
from ingest.archive.unpack import ArchiveRefusedError, Entry, RefusedEntry, Unpacking, is_archive
from ingest.items import FileResult, Item, Progress
from ingest.parse.clean import clean_line

_MOST_NAMED = 10


@dataclass(slots=True)
class Opened:
    """Items with archives replaced by what they hold, and what is known of the rest already.

    A file of an archive lies under a number; `shown` gives it the name people know.
    """

    items: list[Item] = field(default_factory=list)
    results: list[FileResult] = field(default_factory=list)
    _names: dict[Path, Path] = field(default_factory=dict)

    def shown(self, result: FileResult) -> FileResult:
        """The result under the name of its file in the archive."""
        return replace(result, path=self._names.get(result.path, result.path))

    def shown_progress(self, progress: Progress) -> Progress:
        """The same for progress."""
        return replace(progress, path=self._names.get(progress.path, progress.path))

    def refuse(self, item: Item, source: str, reason: str) -> None:
        """Note an archive, or an entry of one, that is left out."""
        path = item.path if source == _source(item) else Path(source)
        self.results.append(FileResult(path=path, source=source, status="refused", reason=reason))

    def add(self, item: Item, source: str, entry: Entry, tags: Sequence[str]) -> None:
        """Note a file of an archive."""
        self._names[entry.path] = Path(source)
        self.items.append(
            replace(
                item,
                path=entry.path,
                source=source,
                tags=tuple(dict.fromkeys([*item.tags, *tags])),
            )
        )


@contextmanager
def opened_archives(
    db: psycopg.Connection, items: Sequence[Item], *, limits: ArchiveLimits
) -> Iterator[Opened]:
    """The items with every archive unpacked, for as long as the block runs.

    Folders that are named after a topic become tags of what is in them. The database is asked
    within this call only.
    """
    opened = Opened()
    with tempfile.TemporaryDirectory(prefix="pgkb-zip-", ignore_cleanup_errors=True) as place:
        for number, item in enumerate(items):
            if not is_archive(item.path):
                opened.items.append(item)
            elif item.title is not None:
                opened.refuse(
                    item, _source(item), "a title is for one document, and this is an archive"
                )
            else:
                folder = Path(place, str(number))
                folder.mkdir()
                _open(db, item, opened, Unpacking(folder, limits))
        yield opened


def _open(db: psycopg.Connection, item: Item, opened: Opened, unpacking: Unpacking) -> None:
    source = _source(item)
    try:
        found = list(unpacking.unpack(item.path))
    except ArchiveRefusedError as refused:
        opened.refuse(item, source, str(refused))
        # what a bomb wrote before it was known for one
        shutil.rmtree(unpacking.folder)
        return
    entries = [entry for entry in found if isinstance(entry, Entry)]
    topics = calls.tags_of_names(db, names={name for e in entries for name in e.folders})
    opened.results.append(
        FileResult(
            path=item.path,
            source=source,
            status="unpacked" if found else "refused",
            reason=_in_words(found, unpacking.passed_over, topics),
        )
    )
    for entry in found:
        if isinstance(entry, RefusedEntry):
            opened.refuse(item, f"{source}/{entry.name}", entry.reason)
        else:
            tags = [tag for name in entry.folders if (tag := topics.get(name))]
            opened.add(item, f"{source}/{entry.name}", entry, tags)


def _in_words(
    found: Sequence[Entry | RefusedEntry], passed_over: int, topics: dict[str, str | None]
) -> str:
    words = {0: "the archive holds no files", 1: "1 file"}.get(len(found), f"{len(found)} files")
    if passed_over:
        words += f"; passed over {passed_over} entries that are folders, empty or side files"
    unknown = [name for name, slug in topics.items() if slug is None]
    if unknown:
        more = f" and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
        named = ", ".join(name[:40] for name in unknown[:_MOST_NAMED])
        words += f"; no topic is named like the folders {named}{more}"
    return words


def _source(item: Item) -> str:
    return clean_line(item.source or item.path.name)
