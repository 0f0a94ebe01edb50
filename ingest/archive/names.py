"""Names of an archive's entries: read in the right encoding, and never trusted."""

import stat
import unicodedata
import zipfile
from itertools import pairwise

from ingest.parse.clean import clean_line
from ingest.paths import is_side_file

_UTF8 = 0x800
# Windows programs write the code page of their country without saying so; the format says cp437.
_CODE_PAGES = ("cp437", "cp850", "cp1252")
_PLAIN_MARKS = frozenset("‘’“”–—…€£°§®©")


def parts_of(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """Folders and name of an entry; the name is '' for a folder."""
    name = entry.orig_filename
    if not entry.flag_bits & _UTF8:
        name = _decoded(name.encode("cp437"))
    # programs for Windows write backslashes, which no name there can hold
    *folders, last = name.replace("\\", "/").split("/")
    return (
        *(clean_line(folder) or "_" for folder in folders if folder not in {"", "."}),
        (clean_line(last) or "_") if last else "",
    )


def danger_of(entry: zipfile.ZipInfo) -> str | None:
    """Why an entry cannot be a file of this archive; None when it can."""
    name = entry.orig_filename.replace("\\", "/")
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        return "its name leads out of the archive: rename it and pack the archive again"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "it is a link to another file: pack the file itself"
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "it is a device or a pipe, no file"
    return None


def is_beside_the_point(parts: tuple[str, ...]) -> bool:
    """Whether an entry is a folder, or something that programs leave beside people's files."""
    return parts[-1] == "" or any(part != ".." and is_side_file(part) for part in parts)


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        # the reading that looks most like words; the first of equals
        return min((raw.decode(code, "replace") for code in _CODE_PAGES), key=_oddness)


def _oddness(name: str) -> int:
    """How many characters of a name no word would have there."""
    odd = sum(
        not (character.isascii() or character in _PLAIN_MARKS or _is_latin_letter(character))
        for character in name
    )
    # “parentÆs guide”: a capital inside of a word
    return odd + sum(
        before.islower() and after.isupper() and not after.isascii()
        for before, after in pairwise(name)
    )


def _is_latin_letter(character: str) -> bool:
    return unicodedata.name(character, "").startswith("LATIN ")
