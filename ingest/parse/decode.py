"""Bytes to text: which of the many encodings a file is in, without losing a letter.

Order: byte order mark, UTF-16/32 by its NUL pattern, the charset of the HTTP header, the charset
of a meta tag, strict UTF-8, detection, windows-1252. One exception, because real pages need it:
bytes that are valid UTF-8 with letters beyond ASCII are UTF-8 even where a one-byte charset is
declared; such bytes are never sensible text in the other.
"""

import codecs
import re
from dataclasses import dataclass

from resiliparse.parse.encoding import detect_encoding

from ingest.parse.result import Refused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Labels mean on the web what browsers take them for.
_WEB_MEANING = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    # a meta tag that could be read as ASCII cannot be in UTF-16
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}

_META_CHARSET = re.compile(
    rb"<meta\b[^>]{0,300}?\bcharset\s*=\s*[\"']?\s*([a-z0-9_:.\-]{2,40})", re.IGNORECASE
)
_META_WINDOW = 4096
_SAMPLE = 65_536
_STRAY_BYTES = "pgkb-windows-1252"
# No text has many of these: control characters, but for blanks and ESC, and replacement marks.
_ODD = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


_WINDOWS_1252 = {
    value: bytes([value]).decode("cp1252", errors="ignore") or chr(value)
    for value in range(0x80, 0xA0)
}


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the encoding it was in, and whether some bytes had to be guessed."""

    text: str
    encoding: str
    guessed: bool = False


def decode(data: bytes, *, header_charset: str | None = None, markup: bool = False) -> Decoded:
    """The text of `data`; `markup` lets a meta tag speak. Raises Refused when it is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _text_or_refused(Decoded(_marked(data[len(mark) :], encoding), encoding))
    wide = _wide_encoding(data)
    if wide is not None:
        return _text_or_refused(Decoded(_marked(data, wide), wide))

    utf8 = _strict(data, "utf-8")
    if utf8 is not None and not data.isascii():
        return _text_or_refused(Decoded(utf8, "utf-8"))
    for label in (header_charset, _meta_charset(data) if markup else None):
        encoding_name = _codec(label)
        if encoding_name is None:
            continue
        text_or_none = _strict(data, encoding_name)
        if text_or_none is not None:
            return _text_or_refused(Decoded(text_or_none, encoding_name))
    if utf8 is not None:
        return _text_or_refused(Decoded(utf8, "utf-8"))

    if _mostly_utf8(data):
        return _text_or_refused(Decoded(_patched_utf8(data), "utf-8", guessed=True))
    detected = _codec(detect_encoding(data[:_SAMPLE]))
    if detected is not None and detected != "utf-8":
        text_or_none = _strict(data, detected)
        if text_or_none is not None:
            return _text_or_refused(Decoded(text_or_none, detected, guessed=True))
    return _text_or_refused(Decoded(windows_1252(data), "cp1252", guessed=True))


def _marked(data: bytes, encoding: str) -> str:
    """Text whose encoding is certain; lone surrogates pass, they are cleaned later."""
    if encoding == "utf-8":
        return _patched_utf8(data)
    if encoding.startswith("utf-16"):
        return data[: len(data) // 2 * 2].decode(encoding, errors="surrogatepass")
    return data.decode(encoding, errors="replace")


def _codec(label: str | None) -> str | None:
    """The codec behind a charset label, as browsers understand it; None for unknown labels."""
    if not label:
        return None
    try:
        name = codecs.lookup(label.strip().lower()).name
    except (LookupError, ValueError):
        return None
    name = _WEB_MEANING.get(name, name)
    try:
        # some codecs are not encodings of text (base64, zlib, ...)
        "".encode(name)
    except (LookupError, ValueError):
        return None
    return name


def _strict(data: bytes, encoding: str) -> str | None:
    if encoding == "cp1252":
        return windows_1252(data)
    try:
        return data.decode(encoding)
    except (UnicodeError, ValueError):
        return None


def _meta_charset(data: bytes) -> str | None:
    match = _META_CHARSET.search(data[:_META_WINDOW])
    return match.group(1).decode("ascii") if match else None


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 without a mark: NULs fill one half of the pairs and hardly ever the other."""
    sample = data[:_SAMPLE]
    if len(sample) < 4 or b"\x00" not in sample:
        return None
    pairs = len(sample) // 2
    even = sample[0 : pairs * 2 : 2].count(0)
    odd = sample[1 : pairs * 2 : 2].count(0)
    if odd > 0.4 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.4 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return None


def windows_1252(data: bytes) -> str:
    """windows-1252 as browsers read it: its five unassigned bytes stay control characters."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1").translate(_WINDOWS_1252)


def _mostly_utf8(data: bytes) -> bool:
    """Whether nearly all runs of high bytes are UTF-8: one page pasted into another."""
    good = bad = 0
    for match in _HIGH_RUN.finditer(data):
        if _strict(match.group(), "utf-8") is None:
            bad += 1
        else:
            good += 1
    return good >= 3 and bad <= 0.2 * good


def _patched_utf8(data: bytes) -> str:
    """UTF-8 text whose few stray bytes are read as windows-1252."""
    return data.decode("utf-8", errors=_STRAY_BYTES)


def _read_stray_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return windows_1252(error.object[error.start : error.end]), error.end


codecs.register_error(_STRAY_BYTES, _read_stray_bytes)


def _text_or_refused(decoded: Decoded) -> Decoded:
    """`decoded` unless it is full of control characters or replacement marks: not text then."""
    sample = decoded.text[:_SAMPLE]
    odd = len(_ODD.findall(sample))
    if odd > 4 and odd > 0.05 * len(sample):
        raise Refused(
            "type",
            "binary data, not text: nothing readable was found in it; "
            "ingest the PDF, DOCX, HTML or plain text version",
        )
    return decoded
