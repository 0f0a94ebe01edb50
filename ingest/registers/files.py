"""Registers as they are published: CSV, plain, gzipped or zipped, in UTF-8 or windows-1252.

A file is read as a stream, because the register of postcodes has millions of lines. What a file
is, its bytes say and not its name; which encoding a line is in, that line says: one that is UTF-8
is UTF-8, any other is windows-1252, so that no name is ever mangled.
"""

import csv
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ingest.errors import IngestError
from ingest.parse.decode import windows_1252

# how much of the file was read, of how much
OnProgress: TypeAlias = Callable[[int, int], None]
Aliases: TypeAlias = Mapping[str, Sequence[str]]

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LINES_BETWEEN_PROGRESS = 8192
# problems that are kept one by one, as SQL does; all are counted
MOST_PROBLEMS = 1000


class RegisterError(IngestError):
    """A file that cannot be the register it should be; one line: what, why, what to do."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that was refused, and the line it ends on."""

    line: int
    reason: str


class Line(NamedTuple):
    """A row: the line it ends on and its cells in the order that was asked for."""

    number: int
    cells: tuple[str, ...]


class Register:
    """An open register: its header is read, its rows come one by one.

    Rows that are none (too short, a NUL in them) are left out and counted in `refused`; the first
    thousand are kept in `problems`.
    """

    def __init__(self, path: Path, lines: Iterator[str]) -> None:
        self.path = path
        self.refused = 0
        self.problems: list[Problem] = []
        self._reader = csv.reader(lines)
        header = self._next_row()
        if header is None:
            raise RegisterError(f"{path} is empty. Download it again")
        self.columns = [" ".join(cell.split()).lower() for cell in header]

    def has(self, aliases: Sequence[str]) -> bool:
        """Whether one of these columns is there."""
        return any(alias in self.columns for alias in aliases)

    def rows(self, wanted: Aliases, *, required: Sequence[str]) -> Generator[Line, None, None]:
        """The wanted cells of each row, `""` for a column the file does not have.

        A column goes by several names; the first that the file has is taken. Raises
        `RegisterError` when a required one is there under none.
        """
        for name in required:
            if not self.has(wanted[name]):
                raise RegisterError(
                    f'{self.path} has no column "{wanted[name][0]}"; '
                    f"its first line names {_shown(self.columns)}. Is it another file?"
                )
        places = [
            next((self.columns.index(a) for a in aliases if a in self.columns), -1)
            for aliases in wanted.values()
        ]
        width = len(self.columns)
        while (row := self._next_row()) is not None:
            if len(row) < width and not any(cell.strip() for cell in row):
                continue
            number = self._reader.line_num
            if len(row) != width:
                self._refuse(number, f"{len(row)} cells where the header has {width}")
                continue
            cells = tuple(["" if place < 0 else row[place] for place in places])
            if "\x00" in "".join(cells):
                self._refuse(number, "a NUL character")
                continue
            yield Line(number, cells)

    def _next_row(self) -> list[str] | None:
        while True:
            try:
                return next(self._reader, None)
            except csv.Error as error:
                self._refuse(self._reader.line_num, f"not readable as CSV: {error}")

    def _refuse(self, line: int, reason: str) -> None:
        self.refused += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(line, reason))


@contextmanager
def open_register(path: Path, on_progress: OnProgress | None = None) -> Iterator[Register]:
    """Open a register. Raises `RegisterError`, also while its rows are read."""
    try:
        with ExitStack() as stack:
            file = stack.enter_context(path.open("rb"))
            size = path.stat().st_size
            content = _unpacked(stack, path, file)
            read = (lambda: on_progress(file.tell(), size)) if on_progress else (lambda: None)
            yield Register(path, _lines(path, content, read))
    except (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile) as error:
        raise RegisterError(f"{path} is damaged: {error}. Download it again") from None


def _unpacked(stack: ExitStack, path: Path, file: io.BufferedReader) -> Iterable[bytes]:
    start = file.peek(4)[:4]
    if start.startswith(_GZIP):
        return stack.enter_context(gzip.open(file))
    if start.startswith(_ZIP):
        archive = stack.enter_context(zipfile.ZipFile(file))
        members = [m for m in archive.infolist() if m.filename.lower().endswith(".csv")]
        if not members:
            raise RegisterError(f"{path} holds no CSV file. Unpack it and name the file")
        # beside the whole register lie its parts and code lists, which are smaller
        largest = max(members, key=lambda member: member.file_size)
        try:
            return stack.enter_context(archive.open(largest))
        except RuntimeError as error:
            # what zipfile says of a password, and of a packing it does not know
            raise RegisterError(f"{path} cannot be unpacked: {error}. Unpack it first") from None
    return file


def _lines(path: Path, content: Iterable[bytes], read: Callable[[], None]) -> Iterator[str]:
    for number, line in enumerate(content):
        if number == 0:
            if line.startswith(_UTF16_MARKS):
                raise RegisterError(f"{path} is in UTF-16. Save it as CSV in UTF-8")
            line = line.removeprefix(_UTF8_MARK)
        if number % _LINES_BETWEEN_PROGRESS == 0:
            read()
        try:
            yield line.decode()
        except UnicodeDecodeError:
            yield windows_1252(line)
    read()


def _shown(columns: Sequence[str]) -> str:
    names = [f'"{column[:30]}"' for column in columns[:4]]
    return ", ".join(names) + (", ..." if len(columns) > len(names) else "")
