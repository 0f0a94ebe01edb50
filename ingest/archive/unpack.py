"""Archives unpacked into files of our own naming, counted while they are inflated.

Nothing an archive says of itself is believed: not its sizes, not the number of its entries, not
its names. What it holds is written under numbers into a folder of ours; an entry that cannot be
read is refused by name, and only a bomb or a damaged directory refuses the whole.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ingest.archive.limits import ArchiveLimits
from ingest.archive.names import danger_of, is_beside_the_point, parts_of
from ingest.parse.kind import holds_document
from ingest.parse.limits import MEGABYTE

_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1
_PIECE = 256 * 1024
# The directory of an archive is read at once: this much holds 40,000 entries with long names.
_LARGEST_DIRECTORY = 4 * MEGABYTE
# What the standard library raises for an archive, or an entry, that is not as it should be.
_UNREADABLE = (zipfile.BadZipFile, RuntimeError, ValueError, struct.error)
_DAMAGED = "it is damaged: pack the archive again"


class ArchiveRefusedError(Exception):
    """An archive of which nothing is taken; the message is one line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive, at `path`: its name within the upload, and the folders it lies in.

    The name counts archives inside as folders; `folders` are those that people made.
    """

    name: str
    folders: tuple[str, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    """An entry that was left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in an upload an archive lies: its name, the folders above it, how deep it is."""

    name: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    depth: int = 1


def is_archive(path: Path) -> bool:
    """Whether a file is a ZIP archive by its bytes, and not a document in the same container."""
    # a pipe would be waited for
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            if stream.read(4) not in _STARTS:
                return False
            with zipfile.ZipFile(_Guarded(stream)) as archive:
                return not holds_document({entry.filename for entry in archive.infolist()})
    except OSError:
        return False
    except (*_UNREADABLE, ArchiveRefusedError):
        # whoever unpacks or parses it says what is wrong with it: a part of an upload is parsed
        return path.suffix.lower() == ".zip"


@dataclass(slots=True)
class Unpacking:
    """One upload on its way into `folder`. What was passed over is counted in `passed_over`."""

    folder: Path
    limits: ArchiveLimits
    passed_over: int = 0
    _entries: int = 0
    _bytes: int = 0
    _files: int = 0
    _names: set[tuple[str, ...]] = field(default_factory=set)

    def unpack(self, path: Path) -> Iterator[Entry | RefusedEntry]:
        """The files of an archive and of those inside it. Raises ArchiveRefusedError."""
        if path.stat().st_size > self.limits.max_bytes:
            raise ArchiveRefusedError(
                f"the archive has more than the {self.limits.max_bytes // MEGABYTE} MB allowed: "
                "split it"
            )
        yield from self._unpack(path, _Place())

    def _unpack(self, path: Path, place: _Place) -> Iterator[Entry | RefusedEntry]:
        with path.open("rb") as stream, _opened(stream) as archive:
            self._entries += len(archive.infolist())
            if self._entries > self.limits.max_entries:
                raise ArchiveRefusedError(
                    f"the archive holds more than the {self.limits.max_entries} entries allowed: "
                    "split it"
                )
            for info in archive.infolist():
                yield from self._take(archive, info, place)

    def _take(
        self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: _Place
    ) -> Iterator[Entry | RefusedEntry]:
        parts = parts_of(info)
        if is_beside_the_point(parts):
            self.passed_over += 1
            return
        path = self.folder / f"{self._files:06}"
        self._files += 1
        name, folders = (*place.name, *parts), (*place.folders, *parts[:-1])
        reason = danger_of(info) or self._write(archive, info, path)
        if reason is not None:
            yield RefusedEntry("/".join(name), reason)
        elif path.stat().st_size == 0:
            self.passed_over += 1
        elif not is_archive(path):
            yield Entry("/".join(self._own_name(name)), folders, path)
            return
        elif place.depth >= self.limits.max_depth:
            yield RefusedEntry(
                "/".join(name),
                f"archives are opened {self.limits.max_depth} deep and this one lies deeper: "
                "unpack it",
            )
        else:
            inside = _Place(self._own_name(name), folders, place.depth + 1)
            yield from self._unpack(path, inside)
        path.unlink(missing_ok=True)

    def _write(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> str | None:
        """Inflate an entry into a file; why it could not be, None when it could."""
        if info.flag_bits & _ENCRYPTED:
            return "it is protected by a password: pack it without one"
        # other methods take memory as the archive says, and no office program writes them
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            return "it is packed in an unusual way: pack it as an ordinary ZIP"
        size = 0
        with path.open("wb") as into:
            for piece in _pieces(archive, info):
                if piece is None:
                    return _DAMAGED
                size += len(piece)
                self._bytes += len(piece)
                if self._bytes > self.limits.max_total:
                    raise ArchiveRefusedError(
                        "the archive unpacks to more than the "
                        f"{self.limits.max_total // MEGABYTE} MB allowed: split it"
                    )
                if size > self.limits.max_entry:
                    return f"it is larger than the {self.limits.max_entry // MEGABYTE} MB allowed"
                if size > max(self.limits.free_bytes, self.limits.max_ratio * info.compress_size):
                    return "it unpacks to far more than a document does: it looks like a ZIP bomb"
                into.write(piece)
        return None

    def _own_name(self, name: tuple[str, ...]) -> tuple[str, ...]:
        """The name of an entry; one that was there already gets a folder of its own."""
        own, number = name, 1
        while own in self._names:
            number += 1
            own = (*name[:-1], f"({number})", name[-1])
        self._names.add(own)
        return own


def _opened(stream: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(_Guarded(stream))
    except _UNREADABLE as error:
        raise ArchiveRefusedError("the archive is damaged or not whole: pack it again") from error


def _pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes | None]:
    """An entry's bytes as they are inflated; None at the end of one that cannot be read."""
    try:
        with archive.open(info) as stream:
            while piece := stream.read(_PIECE):
                yield piece
    except (*_UNREADABLE, zlib.error, EOFError, OSError):
        yield None


class _Guarded:
    """A file that gives no more than a directory's worth of bytes at once."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.seek = stream.seek
        self.tell = stream.tell
        self.seekable = stream.seekable

    def read(self, size: int = -1) -> bytes:
        """Read; an archive whose directory is larger than any honest one is refused."""
        wanted = size if 0 <= size <= _LARGEST_DIRECTORY else _LARGEST_DIRECTORY + 1
        data = self._stream.read(wanted)
        if len(data) > _LARGEST_DIRECTORY:
            raise ArchiveRefusedError("the archive holds more entries than are allowed: split it")
        return data
