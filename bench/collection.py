"""A judged collection as a folder: corpus.jsonl, queries.jsonl, qrels.tsv."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.database import BenchError
from bench.judged import Question, QuestionSet, Relevant, Split, read_lines

CORPUS = "corpus.jsonl"
_TRAIN = "_train"


@dataclass(frozen=True, slots=True)
class Document:
    """A row of the corpus."""

    id: str
    text: str
    title: str = ""

    @property
    def body(self) -> str:
        """The text; a row that has none is found by its title."""
        return self.text if self.text.strip() else self.title


@dataclass(frozen=True, slots=True)
class _Query:
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents and judged questions; `notes` say what was left out."""

    documents: Sequence[Document] = field(repr=False)
    questions: QuestionSet
    notes: Sequence[str]


def read_collection(
    folder: Path, *, limit: int | None = None, seed: int = 1, train: bool = False
) -> Collection:
    """Read the folder; raises BenchError, one line with file and line number.

    Questions fall into halves, by a hash of their id and the seed. With `train` those of
    queries_train.jsonl and qrels_train.tsv are the half to tune by, where the folder has them.
    `limit` takes the first so many questions.
    """
    notes: list[str] = []
    documents = _read_documents(folder / CORPUS, notes)
    known = {document.id for document in documents}
    named = folder.resolve().name
    if train and (folder / f"queries{_TRAIN}.jsonl").is_file():
        held_out = _read_questions(folder, "", known, notes, lambda _: "held-out")
        tune = _read_questions(folder, _TRAIN, known, notes, lambda _: "tune")
        questions = [*tune[:limit], *held_out[:limit]]
    else:
        questions = _read_questions(folder, "", known, notes, lambda key: _half(key, seed))[:limit]
    if not questions:
        raise BenchError(f"{folder}: no question has a relevant document; check qrels.tsv")
    return Collection(documents, QuestionSet(named, questions), notes)


def _half(key: str, seed: int) -> Split:
    digest = hashlib.sha256(f"{seed} {key}".encode()).digest()
    return "tune" if digest[0] % 2 else "held-out"


def _read_documents(file: Path, notes: list[str]) -> list[Document]:
    documents: dict[str, Document] = {}
    without_text = 0
    for number, document in read_lines(file, Document):
        if document.id in documents:
            raise BenchError(f'{file}:{number}: the id "{document.id}" is there twice; keep one')
        documents[document.id] = document
        without_text += not document.body.strip()
    if not documents:
        raise BenchError(f"{file} holds no document; write one JSON object per line")
    if without_text:
        notes.append(f"{without_text} documents without title and text are left out")
    return list(documents.values())


def _read_questions(
    folder: Path,
    suffix: str,
    documents: set[str],
    notes: list[str],
    split_of: Callable[[str], Split],
) -> list[Question]:
    file = folder / f"queries{suffix}.jsonl"
    words: dict[str, str] = {}
    for number, query in read_lines(file, _Query):
        if query.id in words:
            raise BenchError(f'{file}:{number}: the id "{query.id}" is there twice; keep one')
        if not query.text.strip():
            raise BenchError(f'{file}:{number}: the question "{query.id}" has no words; add them')
        words[query.id] = query.text
    grades = _read_grades(folder / f"qrels{suffix}.tsv", words, documents)
    prefix = "train " if suffix else ""
    judged = [
        Question(
            id=prefix + key,
            question=text,
            split=split_of(key),
            relevant=[Relevant(document, grade) for document, grade in grades[key].items()],
        )
        for key, text in words.items()
        if any(grade > 0 for grade in grades.get(key, {}).values())
    ]
    if len(judged) < len(words):
        notes.append(
            f"{len(words) - len(judged)} questions of {file.name} have no relevant document "
            "and are left out"
        )
    return judged


def _read_grades(
    file: Path, questions: Mapping[str, str], documents: set[str]
) -> dict[str, dict[str, int]]:
    """Grades by question and document; the first line may be a header."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise BenchError(f"{file}: {problem.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise BenchError(f"{file} is not UTF-8; write it as UTF-8") from None
    grades: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines, start=1):
        cells = line.rstrip("\r").split("\t")
        if not line.strip() or (number == 1 and len(cells) == 3 and not _is_number(cells[2])):
            continue
        if len(cells) != 3 or not _is_number(cells[2]):
            raise BenchError(
                f"{file}:{number}: this is not question, document and a grade from 0 to 100; "
                "write the three with tabs between them"
            )
        question, document, grade = (cell.strip() for cell in cells)
        if question not in questions:
            raise BenchError(f'{file}:{number}: there is no question "{question}"; remove the line')
        if document not in documents:
            raise BenchError(f'{file}:{number}: there is no document "{document}"; remove the line')
        if document in grades.setdefault(question, {}):
            raise BenchError(
                f'{file}:{number}: the document "{document}" is judged twice for the question '
                f'"{question}"; keep one'
            )
        grades[question][document] = int(grade)
    return grades


def _is_number(cell: str) -> bool:
    text = cell.strip()
    return text.isascii() and text.isdecimal() and int(text) <= 100
