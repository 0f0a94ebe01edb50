"""The values people typed into the fields of a PDF form."""

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium_c
from pypdfium2 import PdfDocument, PdfiumError

from ingest.parse.blocks import Block
from ingest.parse.clean import clean_line, clean_text

_CHECKS = (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON)
_SILENT = (pdfium_c.FPDF_FORMFIELD_PUSHBUTTON, pdfium_c.FPDF_FORMFIELD_SIGNATURE)
_MOST_FIELDS = 5000


def form_values(document: PdfDocument) -> list[Block]:
    """One block per filled field: `name: value`. Empty for PDFs without a form."""
    if document.get_formtype() in (None, pdfium_c.FORMTYPE_NONE):
        return []
    document.init_forms()
    if document.formenv is None:
        return []
    form = document.formenv.raw
    blocks: list[Block] = []
    seen: set[tuple[str, str]] = set()
    for number in range(1, len(document) + 1):
        try:
            page = document[number - 1]
        except PdfiumError:
            continue
        try:
            for index in range(pdfium_c.FPDFPage_GetAnnotCount(page.raw)):
                pair = _field(form, page.raw, index)
                if pair is None or pair in seen or len(blocks) >= _MOST_FIELDS:
                    continue
                seen.add(pair)
                blocks.append(Block(f"{pair[0]}: {pair[1]}", kind="row", page=number))
        finally:
            page.close()
    return blocks


def _field(form: Any, page: Any, index: int) -> tuple[str, str] | None:  # noqa: ANN401 - ctypes
    annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
    if not annotation:
        return None
    try:
        if pdfium_c.FPDFAnnot_GetSubtype(annotation) != pdfium_c.FPDF_ANNOT_WIDGET:
            return None
        kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
        if kind in _SILENT:
            return None
        # the alternate name is what a screen reader says; it is there for people
        name = clean_line(
            _string(pdfium_c.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
            or _string(pdfium_c.FPDFAnnot_GetFormFieldName, form, annotation)
        )
        if kind in _CHECKS:
            value = "☒" if pdfium_c.FPDFAnnot_IsChecked(form, annotation) else ""
        else:
            value = clean_text(_string(pdfium_c.FPDFAnnot_GetFormFieldValue, form, annotation))
        return (name or "field", value) if value else None
    finally:
        pdfium_c.FPDFPage_CloseAnnot(annotation)


def _string(read: Callable[..., int], form: Any, annotation: Any) -> str:  # noqa: ANN401 - ctypes
    """A UTF-16 string of PDFium's two-step way: ask for the size, then for the bytes."""
    size = read(form, annotation, None, 0)
    if size <= 2:
        return ""
    buffer = (pdfium_c.FPDF_WCHAR * (size // 2))()
    read(form, annotation, buffer, size)
    return ctypes.string_at(buffer, size - 2).decode("utf-16-le", errors="replace")
