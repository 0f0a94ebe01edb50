"""One file's bytes to one parsed document."""

import hashlib
import unicodedata
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from resiliparse.parse.lang import detect_fast

from ingest.parse.clean import clean_value
from ingest.parse.kind import kind_of
from ingest.parse.result import Parsed, Refused
from ingest.parse.txt import parse_txt
from ingest.parse.version import EXTRACTOR_VERSION

_LIBRARY_OF = {"pdf": "pypdfium2", "docx": "mammoth", "html": "trafilatura"}
# The detector's distance: prose of a language stays well below, lists of names and figures above.
_SURE_OF_LANGUAGE = 500
_ENOUGH_FOR_LANGUAGE = 200
_LANGUAGE_SAMPLE = 20_000


def parse_document(
    data: bytes, *, header_charset: str | None = None, source_url: str | None = None
) -> Parsed:
    """The document in `data`, whatever its type. Raises Refused with a line for people.

    `source_url` is the address it was fetched from.
    """
    kind = kind_of(data)
    try:
        # the readers load slowly, and plain text needs none of them
        match kind:
            case "pdf":
                from ingest.parse.pdf import parse_pdf

                parsed = parse_pdf(data)
            case "docx":
                from ingest.parse.docx import parse_docx

                parsed = parse_docx(data)
            case "html":
                from ingest.parse.html import parse_html

                parsed = parse_html(data, header_charset=header_charset)
            case "txt":
                parsed = parse_txt(data)
    except (Refused, MemoryError):
        raise
    except RecursionError as error:
        raise Refused(
            "corrupt", f"a {kind} file nested too deeply to read: save it again in a simpler form"
        ) from error
    except Exception as error:
        # whatever a reader trips over, this file is refused and the next one is read
        raise Refused(
            "corrupt",
            f"the {kind} reader failed on this file ({type(error).__name__}): it is probably "
            "damaged; open it and save it again",
        ) from error
    parsed = replace(parsed, language=parsed.language or _language_of(parsed.text))
    return replace(parsed, metadata=_metadata(parsed, data, source_url))


def _language_of(text: str) -> str | None:
    """The language of a text that does not name its own, None for what is too little to tell."""
    if len(text) < _ENOUGH_FOR_LANGUAGE:
        return None
    language, distance = detect_fast(text[:_LANGUAGE_SAMPLE])
    return language if 0 < distance <= _SURE_OF_LANGUAGE else None


def _metadata(parsed: Parsed, data: bytes, source_url: str | None) -> dict[str, Any]:
    """What is known of a document: these keys always, NULL where there is nothing to tell."""
    library = _LIBRARY_OF.get(parsed.file_type)
    extractor = f"pgkb {EXTRACTOR_VERSION}"
    facts: dict[str, Any] = {
        **parsed.metadata,
        "content_hash": _content_hash(parsed.text),
        "extracted_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "extractor": f"{extractor}, {library} {version(library)}" if library else extractor,
        "file_bytes": len(data),
        "file_sha256": hashlib.sha256(data).hexdigest(),
        "headings": [asdict(heading) for heading in parsed.headings],
        "language": parsed.language,
        "page_count": parsed.page_count,
        "page_starts": list(parsed.pages),
        "source_url": source_url,
        "warnings": list(parsed.warnings),
    }
    cleaned: dict[str, Any] = clean_value(facts)
    return cleaned


def _content_hash(text: str) -> str:
    """SHA-256 over the normalised text, as the database has it in `corpus.version`."""
    normal = " ".join(unicodedata.normalize("NFC", text).split())
    return hashlib.sha256(normal.encode()).hexdigest()
