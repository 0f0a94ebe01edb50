"""Judged questions: what is asked for whom, and which documents answer it."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from bench.database import BenchError

Split = Literal["tune", "held-out"]
Line = TypeVar("Line")
QUESTIONS = Path("eval") / "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Relevant:
    """A document that answers a question, from 1 (a little) up."""

    document: str
    grade: int


@dataclass(frozen=True, slots=True)
class Question:
    """A judged question; `forbidden` documents must never be shown for it."""

    id: str
    question: str
    kind: str = "plain"
    split: Split = "held-out"
    la: str | None = None
    home_la: str | None = None
    urn: str | None = None
    tags: Sequence[str] | None = None
    as_of: date | None = None
    relevant: Sequence[Relevant] = ()
    forbidden: Sequence[str] = ()
    note: str = ""

    def as_row(self) -> dict[str, Any]:
        """The question as eval.load_set takes it."""
        row: dict[str, Any] = msgspec.to_builtins(asdict(self))
        return row


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions under the name their figures are kept by."""

    name: str
    questions: Sequence[Question] = field(repr=False)

    @property
    def digest(self) -> bytes:
        """The same for the same questions and judgements, in whatever order they are listed."""
        rows = sorted(msgspec.json.encode(question.as_row()) for question in self.questions)
        return hashlib.sha256(b"\n".join(rows)).digest()


def read_lines(
    file: Path, kind: type[Line], *, known: Collection[str] | None = None
) -> Iterator[tuple[int, Line]]:
    """Each JSON object of a JSON Lines file with its line number; raises BenchError, one line.

    With `known` a key that is not among them is refused, as it is a misspelt one.
    """
    try:
        data = file.read_bytes()
    except OSError as problem:
        raise BenchError(f"{file}: {problem.strerror}; check the path") from None
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            raw = msgspec.json.decode(line)
            said = msgspec.convert(raw, kind, strict=False)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise BenchError(
                f"{file}:{number}: {problem}; write one JSON object per line"
            ) from None
        if unknown := sorted(set(raw) - set(raw if known is None else known)):
            raise BenchError(f"{file}:{number}: unknown key {unknown[0]}; check its spelling")
        if any(isinstance(value, str) and "\0" in value for value in raw.values()):
            raise BenchError(f"{file}:{number}: holds a NUL character; remove it")
        yield number, said


def read_pack_questions(pack_dir: Path, documents: Collection[str]) -> QuestionSet:
    """The judged questions of a pack; `documents` are the names that judgements may use.

    Raises BenchError, one line with file and line number.
    """
    file = pack_dir / QUESTIONS
    questions: dict[str, Question] = {}
    for number, question in read_lines(file, Question, known=Question.__dataclass_fields__):
        if problem := _problem_of(question, questions, documents):
            raise BenchError(f"{file}:{number}: {problem}")
        questions[question.id] = question
    if not questions:
        raise BenchError(f"{file} holds no question; write one JSON object per line")
    return QuestionSet(pack_dir.resolve().name, tuple(questions.values()))


def _problem_of(
    question: Question, earlier: Mapping[str, Question], documents: Collection[str]
) -> str | None:
    relevant = [judged.document for judged in question.relevant]
    named = [*relevant, *question.forbidden]
    unknown = [name for name in named if name not in documents]
    if not question.id.strip() or not question.question.strip():
        return "a question needs an id and words; fill them in"
    if question.id in earlier:
        return f'the id "{question.id}" is there twice; give each question its own'
    if unknown:
        return f'there is no document "{unknown[0]}"; write group/slug as the sample has it'
    if len(set(named)) < len(named):
        return "a document is judged twice; keep one judgement"
    if any(not 1 <= judged.grade <= 100 for judged in question.relevant):
        return "a grade is not from 1 to 100; leave out what is not relevant"
    if (question.kind == "no-answer") == bool(relevant):
        return "exactly the kind no-answer has no relevant document; correct one of them"
    return None
