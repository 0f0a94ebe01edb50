"""What a file is, by its bytes; its name decides nothing."""

import re
import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from io import BytesIO

from ingest.parse.result import FileType, Refused

# Bytes from the beginning that decide whether it is plain text.
HEAD = 4096


@dataclass(frozen=True, slots=True)
class _Magic:
    prefix: bytes
    what: str
    offset: int = 0


_CONVERT = "convert it to PDF, DOCX, HTML or plain text"
_OCR = "run OCR on it and ingest the resulting PDF or text"
_UNPACK = "unpack it and ingest the files inside"

_IMAGES = (
    _Magic(b"\x89PNG\r\n\x1a\n", "a PNG image"),
    _Magic(b"\xff\xd8\xff", "a JPEG image"),
    _Magic(b"GIF87a", "a GIF image"),
    _Magic(b"GIF89a", "a GIF image"),
    _Magic(b"II*\x00", "a TIFF image"),
    _Magic(b"MM\x00*", "a TIFF image"),
    _Magic(b"WEBP", "a WebP image", 8),
    _Magic(b"ftypheic", "a HEIC image", 4),
    _Magic(b"ftypavif", "an AVIF image", 4),
)
_ARCHIVES = (
    _Magic(b"\x1f\x8b", "a gzip archive"),
    _Magic(b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    _Magic(b"Rar!\x1a\x07", "a RAR archive"),
    _Magic(b"BZh", "a bzip2 archive"),
    _Magic(b"\xfd7zXZ\x00", "an xz archive"),
    _Magic(b"\x28\xb5\x2f\xfd", "a zstd archive"),
    _Magic(b"ustar", "a tar archive", 257),
)
_PROGRAMS = (
    _Magic(b"\x7fELF", "a Linux program"),
    _Magic(b"\xcf\xfa\xed\xfe", "a macOS program"),
    _Magic(b"\xce\xfa\xed\xfe", "a macOS program"),
    _Magic(b"\xca\xfe\xba\xbe", "a compiled program"),
    _Magic(b"\x00asm", "a WebAssembly program"),
)
_OTHERS = (
    _Magic(b"%!PS", "a PostScript file"),
    _Magic(b"SQLite format 3\x00", "an SQLite database"),
    _Magic(b"ID3", "an audio file"),
    _Magic(b"OggS", "an audio or video file"),
    _Magic(b"ftyp", "an audio or video file", 4),
    _Magic(b"\x1a\x45\xdf\xa3", "a video file"),
    _Magic(b"wOFF", "a font"),
    _Magic(b"wOF2", "a font"),
)

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML_START = re.compile(
    # a comment ends at its first end: otherwise many comments could be told apart in endless ways
    r"^(?:\s|<\?xml[^>]*\?>|<!--(?:(?!-->).)*-->)*+<(?:!doctype\s+html|html|head|body"
    r"|title|meta|link|script|style|base|div|p|h[1-6]|table|ul|ol|article|section|main|header"
    r"|nav|span|br|center|font|a|b|strong|em|i|form|iframe|noscript)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML_SOON = re.compile(r"^\s*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.MULTILINE)
_XML_START = re.compile(r"^\s*<\?xml\b|^\s*<(?:svg|rss|feed|urlset|sitemapindex)\b", re.IGNORECASE)


def kind_of(data: bytes) -> FileType:
    """The type of `data`, or Refused with a line that says what it is and what to do instead."""
    if not data:
        raise Refused("empty", "the file is empty (0 bytes): nothing to ingest")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(_OLE):
        raise _ole_refusal(data)
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return _zip_kind(data)
    if data[:64].lstrip().startswith(b"{\\rtf"):
        raise Refused("type", "an RTF document: open it and save it as .docx or PDF")
    _refuse_known_binaries(data)
    return _text_kind(data)


def _refuse_known_binaries(data: bytes) -> None:
    for group, advice in (
        (_IMAGES, _OCR),
        (_ARCHIVES, _UNPACK),
        (_PROGRAMS, "programs are not documents; ingest the document itself"),
        (_OTHERS, _CONVERT),
    ):
        for magic in group:
            if data.startswith(magic.prefix, magic.offset):
                raise Refused("type", f"{magic.what}, not a document: {advice}")
    if data.startswith(b"MZ") and b"\x00" in data[:256]:
        raise Refused(
            "type",
            "a Windows program, not a document: programs are not documents; "
            "ingest the document itself",
        )
    if data.startswith(b"BM") and b"\x00" in data[:32]:
        raise Refused("type", f"a BMP image, not a document: {_OCR}")


def _ole_refusal(data: bytes) -> Refused:
    """Which of the old Office formats this is; stream names are UTF-16 in its directory."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return Refused(
            "password",
            "password protected Office document: open it, remove the password and save it again",
        )
    for stream, what, save_as in (
        ("WordDocument", "a legacy Word document (.doc)", "open it in Word and save as .docx"),
        ("Workbook", "a legacy Excel workbook (.xls)", _CONVERT),
        ("PowerPoint Document", "a legacy PowerPoint file (.ppt)", "save it as PDF"),
        ("__substg1.0_", "an Outlook message (.msg)", "save it as HTML or plain text"),
    ):
        if stream.encode("utf-16-le") in data:
            return Refused("type", f"{what}: {save_as}")
    return Refused("type", f"a legacy Office file: {_CONVERT}")


def _zip_kind(data: bytes) -> FileType:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
        raise Refused("corrupt", "a damaged ZIP or DOCX file: download or save it again") from error
    if not holds_document(names):
        raise Refused("type", f"a ZIP archive: {_UNPACK}")
    if "[Content_Types].xml" in names or "word/document.xml" in names:
        if any(name.startswith("word/") for name in names):
            return "docx"
        if any(name.startswith("xl/") for name in names):
            raise Refused("type", f"an Excel workbook (.xlsx): {_CONVERT}")
        if any(name.startswith("ppt/") for name in names):
            raise Refused("type", "a PowerPoint file (.pptx): save it as PDF")
        return "docx"
    if "mimetype" in names and "content.xml" in names:
        raise Refused("type", "an OpenDocument file: open it and save it as .docx or PDF")
    raise Refused("type", f"an EPUB book: {_CONVERT}")


def holds_document(names: Collection[str]) -> bool:
    """Whether a ZIP container with these entries is one document, and no archive of files."""
    marks = ("[Content_Types].xml", "word/document.xml", "META-INF/container.xml")
    return any(mark in names for mark in marks) or ("mimetype" in names and "content.xml" in names)


def _text_kind(data: bytes) -> FileType:
    head = _readable_head(data)
    if _HTML_START.match(head) or _HTML_SOON.search(head[:1024]):
        return "html"
    if _XML_START.match(head):
        what = "an SVG image" if "<svg" in head[:1024].lower() else "an XML data file"
        raise Refused("type", f"{what}, not a document: {_CONVERT}")
    if re.match(r"MIME-Version:|From:.*\nMIME-Version:", head) and "multipart/related" in head:
        raise Refused("type", "a saved web archive (.mhtml): save the page as HTML or PDF")
    return "txt"


def _readable_head(data: bytes) -> str:
    """The first characters, good enough to recognise tags in any encoding."""
    head = data[:HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in head:
        head = head.replace(b"\x00", b"").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
