"""A judged folder and a tiny pack for tests, written anew."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SEND = Path(__file__).resolve().parents[2] / "packs" / "send"

CORPUS: list[dict[str, Any]] = [
    {"id": "taxi", "title": "School transport", "text": "A taxi takes the child to school."},
    {"id": "plan", "title": "", "text": "An education, health and care plan names the support."},
    {"id": "again", "title": "", "text": "An education, health and care plan names the support."},
    {"id": "hens", "title": "Keeping hens", "text": ""},
    {"id": "moon", "title": "The moon", "text": "The moon goes round the earth in a month."},
    # one title twice: two documents, not two versions of one
    {"id": "tide", "title": "The moon", "text": "The tides follow the moon twice a day."},
    {"id": "blank", "title": " ", "text": "\n"},
]
QUERIES: list[dict[str, Any]] = [
    {"id": "q1", "text": "who pays for a taxi to school?"},
    {"id": "q2", "text": "what is in a care plan?"},
    {"id": "q3", "text": "how do I keep hens?"},
    {"id": "q4", "text": "when is high tide?"},
    {"id": "q5", "text": "nobody judged this"},
]
QRELS = (
    "query_id\tdoc_id\tgrade\nq1\ttaxi\t2\nq1\tmoon\t0\nq2\tagain\t1\nq3\thens\t1\nq4\ttide\t1\n"
)

DOCUMENT = """+++
title = "{title}"
format = "txt"
{place}authority = "{authority}"
document_type = "guidance"
effective_date = 2025-09-01
tags = ["{tag}"]
+++
# {title}

Illustrative example: nothing here is real advice. {text}
"""
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "taxi-kent", "kind": "la-bias", "question": "will I get a taxi to school?",
        "la": "E10000016", "split": "tune",
        "relevant": [{"document": "kent/taxis", "grade": 3}],
        "forbidden": ["birmingham/taxis"],
    },
    {
        "id": "break", "kind": "plain", "question": "a short break from caring",
        "la": "E08000025", "split": "held-out",
        "relevant": [{"document": "national/breaks", "grade": 2}],
    },
    {"id": "moon", "kind": "no-answer", "question": "how far is the moon from the earth?",
     "split": "held-out", "relevant": []},
]  # fmt: skip


def write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """JSON Lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_collection(folder: Path) -> Path:
    """corpus.jsonl, queries.jsonl and qrels.tsv."""
    write_lines(folder / "corpus.jsonl", CORPUS)
    write_lines(folder / "queries.jsonl", QUERIES)
    (folder / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    return folder


def write_pack(folder: Path) -> Path:
    """The places and words of the SEND pack, with three documents and three questions."""
    shutil.copytree(SEND, folder, ignore=shutil.ignore_patterns("sample", "eval"))
    for name, title, la_code, tag, text in (
        ("kent/taxis", "Taxis in Kent", "E10000016", "transport",
         "Kent pays for a taxi to school when no bus can take the child."),
        ("birmingham/taxis", "Taxis in Birmingham", "E08000025", "transport",
         "Birmingham pays for a taxi to school when no bus can take the child."),
        ("national/breaks", "Short breaks", None, "social-care",
         "A short break gives families a break from caring for a disabled child."),
    ):  # fmt: skip
        file = folder / "sample" / "documents" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        place = "" if la_code is None else f'la_code = "{la_code}"\n'
        authority = "statutory" if la_code is None else "la"
        file.write_text(
            DOCUMENT.format(title=title, place=place, authority=authority, tag=tag, text=text),
            encoding="utf-8",
        )
    write_lines(folder / "eval" / "questions.jsonl", QUESTIONS)
    return folder
