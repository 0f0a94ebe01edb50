"""The ZIP container of a Word file: guarded reading of its XML parts."""

import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ingest.parse.result import Refused

# Word's own limit for a document's text is 32 MB; markup takes a few times more.
_LARGEST_PART: Final = 64 * 1024 * 1024
_LARGEST_TOTAL: Final = 192 * 1024 * 1024
_MOST_ENTRIES: Final = 20_000
_HIGHEST_RATIO: Final = 200
_RATIO_MATTERS_ABOVE: Final = 4 * 1024 * 1024

# Transitional and strict files use different namespaces for the same things.
_PREFIX_BY_NAMESPACE = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://purl.oclc.org/ooxml/drawingml/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    "http://purl.oclc.org/ooxml/drawingml/diagram": "dgm",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "urn:schemas-microsoft-com:vml": "v",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
    "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties": "ep",
    "http://purl.oclc.org/ooxml/officeDocument/extendedProperties": "ep",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A link from one part to another; `kind` is the last word of its type."""

    kind: str
    target: str


class Package:
    """The parts of one Word file. Raises Refused for bombs and damaged files."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
            entries = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
            raise _damaged() from error
        if len(entries) > _MOST_ENTRIES:
            raise Refused(
                "too-big",
                f"a Word file with {len(entries)} parts, more than the {_MOST_ENTRIES} allowed: "
                "it looks like a ZIP bomb; save it again from Word",
            )
        self._entries = {entry.filename: entry for entry in entries}
        self._inflated = 0
        self._names: dict[str, str] = {}

    def has(self, part: str) -> bool:
        """Whether the file has such a part."""
        return part in self._entries

    def xml(self, part: str) -> Element | None:
        """The root element of a part, None when the file has no such part."""
        if part not in self._entries:
            return None
        raw = self._read(part)
        if b"<!DOCTYPE" in raw or "<!DOCTYPE".encode("utf-16-le") in raw:
            raise Refused(
                "corrupt",
                "a Word file that defines XML entities, which Word never writes: "
                "open it in Word and save it again",
            )
        try:
            return ElementTree.fromstring(raw)  # noqa: S314 - without a DTD there are no entities
        except ElementTree.ParseError as error:
            raise _damaged() from error

    def relations(self, part: str) -> dict[str, Relation]:
        """The links of a part by their ids; external ones have no part and are left out."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        if root is None:
            return {}
        found: dict[str, Relation] = {}
        for element in root:
            if element.get("TargetMode") == "External":
                continue
            target = element.get("Target") or ""
            absolute = target if target.startswith("/") else posixpath.join("/", folder, target)
            found[element.get("Id") or ""] = Relation(
                kind=(element.get("Type") or "").rpartition("/")[2],
                target=posixpath.normpath(absolute).lstrip("/"),
            )
        return found

    def name(self, element: Element) -> str:
        """The name of an element with a short prefix: `w:p` in either dialect."""
        return self._short(element.tag)

    def attribute(self, element: Element, name: str) -> str | None:
        """An attribute by its short name: `w:val` in either dialect."""
        for key, value in element.attrib.items():
            if self._short(key) == name:
                return value
        return None

    def _short(self, tag: str) -> str:
        short = self._names.get(tag)
        if short is None:
            namespace, _, local = tag.rpartition("}")
            prefix = _PREFIX_BY_NAMESPACE.get(namespace[1:])
            short = f"{prefix}:{local}" if prefix else (local if not namespace else tag)
            self._names[tag] = short
        return short

    def _read(self, part: str) -> bytes:
        entry = self._entries[part]
        ratio = entry.file_size / max(entry.compress_size, 1)
        if entry.file_size > _LARGEST_PART or (
            entry.file_size > _RATIO_MATTERS_ABOVE and ratio > _HIGHEST_RATIO
        ):
            raise _bomb(part, entry.file_size)
        try:
            with self._zip.open(part) as stream:
                # a lying directory is found here: no more than the limit is ever inflated
                raw = stream.read(_LARGEST_PART + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise _damaged() from error
        except (NotImplementedError, RuntimeError) as error:
            # an unknown compression method, or an entry with a ZIP password
            raise Refused(
                "password", "a protected or unusual Word file: open it in Word and save it again"
            ) from error
        self._inflated += len(raw)
        if len(raw) > _LARGEST_PART or self._inflated > _LARGEST_TOTAL:
            raise _bomb(part, self._inflated)
        return raw


def _bomb(part: str, size: int) -> Refused:
    return Refused(
        "too-big",
        f"a Word file that unpacks to too much ({part[:60]}: {size // 1_000_000} MB): "
        "it looks like a ZIP bomb; split the document or save it again from Word",
    )


def _damaged() -> Refused:
    return Refused("corrupt", "a damaged Word file: open it in Word, repair it and save it again")
