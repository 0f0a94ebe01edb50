"""Files made for tests: Word packages from bare XML, PDFs from reportlab or byte by byte."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT_W = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SPACES = (
    f'xmlns:w="{W}" xmlns:r="{_R}"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def para(text: str, *, style: str | None = None, extra: str = "") -> str:
    """A paragraph; `extra` goes into its properties."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{extra}</w:pPr>{run(text)}</w:p>"


def run(text: str) -> str:
    """A run of text."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells; a cell is text or the XML of a whole `w:tc`."""
    made = []
    for row in rows:
        cells = [cell if cell.startswith("<w:tc") else f"<w:tc>{para(cell)}</w:tc>" for cell in row]
        made.append(f"<w:tr>{''.join(cells)}</w:tr>")
    return f"<w:tbl>{''.join(made)}</w:tbl>"


def part(tag: str, inner: str) -> str:
    """The XML of a part whose root element is `tag`."""
    return f'<?xml version="1.0" encoding="UTF-8"?><{tag} {_SPACES}>{inner}</{tag}>'


def relations(parts: Mapping[str, str]) -> str:
    """A relationship part: name of the target part to the last word of its kind."""
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{_R}/{kind}" Target="{target}"/>'
        for number, (target, kind) in enumerate(parts.items(), start=1)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{links}</Relationships>'


def docx(body: str, *, parts: Mapping[str, str] | None = None, strict: bool = False) -> bytes:
    """A Word file; `parts` are further parts by kind: footnotes, styles, numbering, header ..."""
    document = part("w:document", f"<w:body>{body}</w:body>")
    files = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations({"word/document.xml": "officeDocument"}),
        "word/document.xml": document.replace(W, STRICT_W) if strict else document,
        "word/_rels/document.xml.rels": relations({f"{kind}.xml": kind for kind in parts or {}}),
    }
    for kind, inner in (parts or {}).items():
        files[f"word/{kind}.xml"] = inner
    return zipped(files)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of these entries."""
    spool = io.BytesIO()
    with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return spool.getvalue()


def pdf(
    pages: Sequence[Sequence[str]],
    *,
    user_password: str | None = None,
    owner_password: str | None = None,
    title: str | None = None,
) -> bytes:
    """A PDF of lines per page. A page of no lines is a picture of grey."""
    spool = io.BytesIO()
    encryption = None
    if user_password is not None or owner_password is not None:
        encryption = StandardEncryption(
            userPassword=user_password or "", ownerPassword=owner_password, strength=128
        )
    canvas = Canvas(spool, pagesize=A4, encrypt=encryption)
    if title is not None:
        canvas.setTitle(title)
    for lines in pages:
        if not lines:
            grey = ImageReader(Image.new("L", (80, 120), 128))
            canvas.drawImage(grey, 0, 0, width=A4[0], height=A4[1])
        for number, line in enumerate(lines):
            canvas.drawString(72, 790 - 15 * number, line)
        canvas.showPage()
    canvas.save()
    return spool.getvalue()


GRID = ("GRID", (0, 0), (-1, -1), 0.5, "black")


def table_pdf(
    rows: Sequence[Sequence[str]], widths: Sequence[float], style: Sequence[tuple[object, ...]]
) -> bytes:
    """A PDF of a table, whose cells wrap, between two paragraphs."""
    body = getSampleStyleSheet()["BodyText"]
    spool = io.BytesIO()
    table = Table(
        [[Paragraph(cell, body) for cell in row] for row in rows],
        colWidths=list(widths),
        style=list(style),
    )
    story: list[Flowable] = [Paragraph("What it costs:", body), table]
    story.append(Paragraph("The council may change these fees each April.", body))
    SimpleDocTemplate(spool, pagesize=A4).build(story)
    return spool.getvalue()


def raw_pdf(objects: Sequence[bytes], *, trailer: bytes, startxref: int | None = None) -> bytes:
    """A PDF from its objects, numbered from 1, with a right cross-reference table."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table_at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (
        trailer.replace(b"TABLE", b"%d" % table_at),
        table_at if startxref is None else startxref,
    )
    return bytes(out)


def write(folder: Path, name: str, content: bytes | str) -> Path:
    """A file with this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def endless_pdf(*, width: int = 10, depth: int = 9) -> bytes:
    """A small PDF whose forms include each other until there are `width` ** `depth` words."""

    def stream(content: bytes, entries: bytes = b"") -> bytes:
        return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)

    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R"
        b" /Resources << /XObject << /F 6 0 R >> >> >>",
        stream(b"/F Do"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for level in range(depth):
        inner = b"BT /H 12 Tf 20 200 Td (Round) Tj ET " if level == depth - 1 else b"/F Do "
        form = (
            b"/Type /XObject /Subtype /Form /BBox [0 0 300 300]"
            b" /Resources << /XObject << /F %d 0 R >> /Font << /H 5 0 R >> >>" % (7 + level)
        )
        objects.append(stream(inner * width, form))
    return raw_pdf(objects, trailer=b"<< /Root 1 0 R /Size %d >>" % (len(objects) + 1))
