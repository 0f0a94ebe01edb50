"""What a citation needs to name a place comes from the file, through the chunk, to the answer."""

import io
from datetime import datetime
from pathlib import Path

import psycopg
from psycopg.rows import dict_row
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from ingest.items import Item
from providers.protocols import Embedder
from tests.ingest.library import load, one, words
from tests.ingest.parse.makers import write


def handbook() -> bytes:
    """A PDF whose chapters begin on pages 1, 3 and 4, each page full of text."""
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    for page, (heading, topic) in enumerate(
        [("Transport", "taxi"), ("", "bus"), ("Mediation", "mediator"), ("Appeals", "tribunal")]
    ):
        if heading:
            canvas.setFont("Helvetica-Bold", 18)
            canvas.drawString(72, 790, heading)
        canvas.setFont("Helvetica", 11)
        for number, line in enumerate(words(topic, 9).split(". ")):
            canvas.drawString(72, 760 - 14 * number, f"{line} {page}.")
        canvas.showPage()
    canvas.save()
    return spool.getvalue()


def test_a_hit_names_the_pages_and_headings_of_its_passage(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    (result,) = load(url, [Item(path=write(folder, "handbook.pdf", handbook()))], embedder)
    assert result.status == "stored"
    with places.cursor(row_factory=dict_row) as cursor:
        cursor.execute(
            "select content, page_from, page_to, heading_path"
            " from search_kb(null, to_tsquery('english', 'tribunal'), top_k => 1)"
        )
        (hit,) = cursor.fetchall()
    assert "tribunal" in hit["content"]
    assert hit["page_to"] == 4
    assert hit["heading_path"] in (["Mediation"], ["Appeals"])
    assert one(places, "select count(*) from corpus.chunk where page_from is null") == 0
    assert one(
        places,
        "select array_agg(distinct c.heading_path[1] order by c.heading_path[1])"
        " from corpus.chunk as c",
    ) == ["Appeals", "Mediation", "Transport"]


def test_metadata_carries_what_the_database_says_too(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    text = "Fees\n\nThe fee\u00a0is £25,\r\n  the café’s too.\x00\n"
    item = Item(path=write(folder, "fees.txt", text), source="https://council.example/fees")
    (result,) = load(url, [item], embedder)
    assert result.status == "stored"
    with places.cursor(row_factory=dict_row) as cursor:
        cursor.execute(
            "select metadata, encode(content_hash, 'hex') as content_hash, staged_at"
            " from corpus.version"
        )
        (version,) = cursor.fetchall()
    metadata = version["metadata"]
    assert metadata["content_hash"] == version["content_hash"]
    assert metadata["source_url"] == "https://council.example/fees"
    assert datetime.fromisoformat(metadata["extracted_at"]) <= version["staged_at"]
