"""The ZIP container of a Word file: its XML parts, and never more of them than is safe.

The two dialects of the format differ in the namespaces of the same names, so only local names
are compared.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ingest.parse.clean import clean_line
from ingest.parse.limits import MEGABYTE
from ingest.parse.result import Refused

# Word's own limit for a document's text is 32 MB; markup takes a few times more.
_LARGEST_PART: Final = 64 * MEGABYTE
_LARGEST_TOTAL: Final = 192 * MEGABYTE
_MOST_ENTRIES: Final = 20_000
# Honest XML shrinks to a twentieth; short files of nothing but spaces may do so by more.
_HIGHEST_RATIO: Final = 200
_RATIO_MATTERS_ABOVE: Final = 4 * MEGABYTE
_DOCTYPES = tuple("<!DOCTYPE".encode(code) for code in ("utf-8", "utf-16-le", "utf-16-be"))


class Package:
    """The parts of one Word file. Raises Refused for bombs, protected and damaged files."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
            raise damaged() from error
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}
        if len(self._zip.infolist()) > _MOST_ENTRIES:
            raise Refused(
                "too-big",
                f"a Word file with more than the {_MOST_ENTRIES} parts allowed: it looks like a "
                "ZIP bomb; save it again from Word",
            )
        self._inflated = 0

    def related(self, part: str, *kinds: str) -> list[str]:
        """The parts that `part` ('' for the file itself) links to by a link of these kinds."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: list[str] = []
        for link in root if root is not None else ():
            # only the last word of a type is the same in both dialects of the format
            kind = (link.get("Type") or "").rpartition("/")[2]
            target = posixpath.join("/", folder, link.get("Target") or "")
            target = posixpath.normpath(target).lstrip("/")
            if kind in kinds and link.get("TargetMode") != "External" and target in self._entries:
                found.append(target)
        return found

    def xml(self, part: str) -> Element | None:
        """The root element of a part, None when the file has no such part."""
        entry = self._entries.get(part)
        if entry is None:
            return None
        raw = self._read(entry)
        if any(doctype in raw for doctype in _DOCTYPES):
            raise Refused(
                "corrupt",
                "a Word file that defines XML entities, which Word never writes: "
                "open it in Word and save it again",
            )
        try:
            return ElementTree.fromstring(raw)  # noqa: S314 - without a DTD there are no entities
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise damaged() from error

    def facts(self) -> dict[str, str]:
        """Its properties by their names in the file (`title`, `creator`, `Pages`), cleaned."""
        found: dict[str, str] = {}
        kinds = ("core-properties", "extended-properties", "extendedProperties")
        for part in self.related("", *kinds):
            root = self.xml(part)
            for element in root if root is not None else ():
                found.setdefault(local(element.tag), clean_line(element.text or "")[:500])
        return found

    def _read(self, entry: zipfile.ZipInfo) -> bytes:
        """An entry's content, counted while it is inflated: its directory entry may lie."""
        read = bytearray()
        try:
            with self._zip.open(entry) as stream:
                while piece := stream.read(MEGABYTE):
                    read += piece
                    self._inflated += len(piece)
                    ratio = len(read) / max(entry.compress_size, 1)
                    if (
                        len(read) > _LARGEST_PART
                        or self._inflated > _LARGEST_TOTAL
                        or (len(read) > _RATIO_MATTERS_ABOVE and ratio > _HIGHEST_RATIO)
                    ):
                        raise Refused(
                            "too-big",
                            f"a Word file that unpacks to too much ({entry.filename[:60]}): it "
                            "looks like a ZIP bomb; split the document or save it again from Word",
                        )
        except (NotImplementedError, RuntimeError) as error:
            # an unknown compression method, or an entry with a ZIP password
            raise Refused(
                "password", "a protected or unusual Word file: open it in Word and save it again"
            ) from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise damaged() from error
        return bytes(read)


def damaged() -> Refused:
    """The refusal of a file that is not whole."""
    return Refused("corrupt", "a damaged Word file: open it in Word, repair it and save it again")


def local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def child_of(element: Element | None, name: str) -> Element | None:
    """The first child of that local name, None where there is none."""
    children = element if element is not None else ()
    return next((child for child in children if local(child.tag) == name), None)


def value_of(element: Element | None, attribute: str = "val") -> str:
    """An attribute by its local name, '' where there is none."""
    attributes = element.items() if element is not None else ()
    return next((value for name, value in attributes if local(name) == attribute), "")


def outermost(element: Element, name: str) -> Iterator[Element]:
    """The elements of that local name below `element`, but none inside another."""
    for child in element:
        if local(child.tag) == name:
            yield child
        else:
            yield from outermost(child, name)
