"""Which files a list of paths means, and under which name each is kept."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from ingest.errors import IngestError
from ingest.parse.clean import clean_line

# What operating systems and office programs leave beside people's files.
_SIDE_FILES = frozenset(["thumbs.db", "desktop.ini", "__macosx", "ehthumbs.db"])
_SIDE_PREFIXES = (".", "~$")
# Folders above that may go into a name; more would tell how somebody's disk is laid out.
_LONGER = 3


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file and the name it is kept under: its path within the folder that was given."""

    path: Path
    source: str


def expand_paths(paths: Sequence[Path]) -> list[FoundFile]:
    """The files meant: given ones, and those in given folders however deep, in a stable order.

    Hidden files and side files of operating systems are left out of folders. A file is listed
    once. Two files that would share a name get as much of the folders above as tells them apart.
    Raises IngestError for a path that does not exist or a folder with nothing in it.
    """
    found: dict[Path, FoundFile] = {}
    for path in paths:
        if path.is_dir():
            within = list(_files_in(path))
            if not within:
                raise IngestError(f"{path}: the folder holds no files: name another")
        elif path.exists():
            within = [FoundFile(path, path.name)]
        else:
            raise IngestError(f"{path}: there is no such file or folder: check the path")
        for file in within:
            found.setdefault(file.path.absolute(), file)
    return _told_apart(list(found.values()))


def is_side_file(name: str) -> bool:
    """Whether operating systems and office programs leave files or folders of that name."""
    return name.startswith(_SIDE_PREFIXES) or name.lower() in _SIDE_FILES


def origin_of(path: Path) -> str:
    """What stands for the place a file lies in, without telling it."""
    return hashlib.sha256(os.fsencode(path.absolute())).hexdigest()


def longer_names(path: Path, source: str) -> list[str]:
    """Names for a file whose name is taken by another folder's: with one folder above, two ..."""
    above = [clean_line(part) for part in path.absolute().parts[1:]]
    # what a name begins below is a folder, or an archive that is named like one
    if above[-len(PurePath(source).parts) :] == list(PurePath(source).parts):
        above = above[: -len(PurePath(source).parts)]
    return [
        "/".join([*above[-length:], source]) for length in range(1, min(_LONGER, len(above)) + 1)
    ]


def _files_in(folder: Path) -> Iterator[FoundFile]:
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            entries = sorted(here.iterdir(), key=lambda entry: entry.name)
        except OSError as error:
            raise IngestError(
                f"{here}: the folder cannot be read ({error.strerror}): check its permissions"
            ) from error
        deeper: list[Path] = []
        for entry in entries:
            if is_side_file(entry.name):
                continue
            # a link to a folder may lead back up
            if entry.is_dir() and not entry.is_symlink():
                deeper.append(entry)
            elif entry.is_file():
                yield FoundFile(entry, entry.relative_to(folder).as_posix())
        pending.extend(reversed(deeper))


def _told_apart(files: list[FoundFile]) -> list[FoundFile]:
    """The same files, with longer names where two were equal."""
    counts = Counter(file.source for file in files)
    return [
        file
        if counts[file.source] == 1
        else FoundFile(file.path, _longer_name(file, _namesakes(file, files)))
        for file in files
    ]


def _namesakes(file: FoundFile, files: Iterable[FoundFile]) -> list[PurePath]:
    return [
        other.path.absolute()
        for other in files
        if other.source == file.source and other.path != file.path
    ]


def _longer_name(file: FoundFile, namesakes: Sequence[PurePath]) -> str:
    parts = file.path.absolute().parts
    for length in range(len(PurePath(file.source).parts) + 1, len(parts)):
        ending = parts[-length:]
        if all(other.parts[-length:] != ending for other in namesakes):
            return "/".join(ending)
    return file.source
