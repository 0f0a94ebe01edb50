"""One file's bytes to one parsed document."""

import hashlib
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import Any

from ingest.parse.clean import clean_value
from ingest.parse.docx import parse_docx
from ingest.parse.html import parse_html
from ingest.parse.kind import kind_of
from ingest.parse.pdf import parse_pdf
from ingest.parse.result import Parsed, Refused
from ingest.parse.txt import parse_txt

# Counts up when the same bytes would give another text, so that old documents can be found.
EXTRACTOR_VERSION = 2

_LIBRARY_OF = {"pdf": "pypdfium2", "docx": "mammoth", "html": "trafilatura"}
_MOST_HEADINGS_KEPT = 300


def parse_document(data: bytes, *, header_charset: str | None = None) -> Parsed:
    """The document in `data`, whatever its type. Raises Refused with a line for people."""
    kind = kind_of(data)
    try:
        match kind:
            case "pdf":
                parsed = parse_pdf(data)
            case "docx":
                parsed = parse_docx(data)
            case "html":
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
    return replace(parsed, metadata=_metadata(parsed, data))


def _metadata(parsed: Parsed, data: bytes) -> dict[str, Any]:
    library = _LIBRARY_OF.get(parsed.file_type)
    extractor = f"pgkb {EXTRACTOR_VERSION}"
    facts: dict[str, Any] = {
        **parsed.metadata,
        "extractor": f"{extractor}, {library} {version(library)}" if library else extractor,
        "file_sha256": hashlib.sha256(data).hexdigest(),
        "file_bytes": len(data),
        "headings": [asdict(heading) for heading in parsed.headings[:_MOST_HEADINGS_KEPT]],
    }
    if parsed.page_count is not None:
        facts["page_count"] = parsed.page_count
    if parsed.pages:
        facts["page_starts"] = list(parsed.pages)
    if parsed.language:
        facts["language"] = parsed.language
    if parsed.warnings:
        facts["warnings"] = list(parsed.warnings)
    cleaned: dict[str, Any] = clean_value(facts)
    return cleaned
