"""A judged folder is read as it is meant, and refused with file and line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.collection import read_collection
from bench.database import BenchError
from bench.judged import read_pack_questions
from tests.bench.judged_folders import QUESTIONS, write_collection, write_lines, write_pack

Break = Callable[[Path], None]


def test_questions_documents_and_grades_are_read(tmp_path: Path) -> None:
    found = read_collection(write_collection(tmp_path / "tiny"))
    assert found.questions.name == "tiny"
    assert [document.id for document in found.documents][:2] == ["taxi", "plan"]
    first = found.questions.questions[0]
    assert {judged.document: judged.grade for judged in first.relevant} == {"taxi": 2, "moon": 0}
    # the one nobody judged is left out, and said so
    assert [question.id for question in found.questions.questions] == ["q1", "q2", "q3", "q4"]
    assert len(found.notes) == 2
    assert len(read_collection(tmp_path / "tiny", limit=2).questions.questions) == 2


def test_a_header_is_optional_and_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    folder = write_collection(tmp_path)
    digest = read_collection(folder).questions.digest
    qrels = folder / "qrels.tsv"
    _, *lines = qrels.read_text().splitlines()
    qrels.write_text("\r\n".join(lines))
    assert read_collection(folder).questions.digest == digest
    qrels.write_text("\n".join(lines).replace("q1\ttaxi\t2", "q1\ttaxi\t3"))
    assert read_collection(folder).questions.digest != digest


def test_the_halves_depend_on_the_seed_and_not_on_the_other_questions(tmp_path: Path) -> None:
    folder = write_collection(tmp_path)

    def halves(seed: int) -> dict[str, str]:
        questions = read_collection(folder, seed=seed).questions.questions
        return {question.id: question.split for question in questions}

    before = halves(1)
    assert len({tuple(halves(seed).items()) for seed in range(8)}) > 1
    queries = (folder / "queries.jsonl").read_text().splitlines()
    (folder / "queries.jsonl").write_text("\n".join([queries[3], queries[0], *queries[1:3]]))
    assert halves(1) == before


def test_training_questions_are_the_half_to_tune_by(tmp_path: Path) -> None:
    folder = write_collection(tmp_path)
    write_lines(folder / "queries_train.jsonl", [{"id": "q1", "text": "the moon?"}])
    (folder / "qrels_train.tsv").write_text("q1\tmoon\t1\n")
    found = read_collection(folder, train=True).questions.questions
    assert {question.id: question.split for question in found} == {
        "train q1": "tune", "q1": "held-out", "q2": "held-out", "q3": "held-out",
        "q4": "held-out",
    }  # fmt: skip
    assert len(read_collection(folder).questions.questions) == 4


def _append(name: str, line: str) -> Break:
    def broken(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    return broken


def _remove(name: str) -> Break:
    return lambda folder: (folder / name).unlink()


def _only(name: str, text: str) -> Break:
    def broken(folder: Path) -> None:
        (folder / name).write_bytes(text.encode("latin-1"))

    return broken


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_remove("corpus.jsonl"), "corpus.jsonl: No such file"),
        (_remove("qrels.tsv"), "qrels.tsv: No such file"),
        (_append("corpus.jsonl", "{"), "corpus.jsonl:8: "),
        (_append("corpus.jsonl", '{"id": "x"}'), "corpus.jsonl:8: "),
        (_append("corpus.jsonl", '{"id": "moon", "text": "m"}'), 'the id "moon" is there twice'),
        (_append("corpus.jsonl", '{"id": "x", "text": "m\\u0000"}'), "holds a NUL character"),
        (_append("corpus.jsonl", '{"id": "x", "text": "\\ud800"}'), "corpus.jsonl:8: "),
        (_append("queries.jsonl", '{"id": "q1", "text": "m"}'), "queries.jsonl:6: "),
        (_append("queries.jsonl", '{"id": "q9", "text": " "}'), "has no words"),
        (_append("qrels.tsv", "q1 taxi 1"), "qrels.tsv:7: this is not question, document"),
        (_append("qrels.tsv", "q1\ttaxi\tgood"), "qrels.tsv:7: this is not question, document"),
        (_append("qrels.tsv", "q1\tplan\t-1"), "qrels.tsv:7: this is not question, document"),
        (_append("qrels.tsv", "q8\ttaxi\t1"), 'there is no question "q8"'),
        (_append("qrels.tsv", "q1\tnone\t1"), 'there is no document "none"'),
        (_append("qrels.tsv", "q1\ttaxi\t1"), "is judged twice"),
        (_only("qrels.tsv", "q1\ttaxi\t0\n"), "no question has a relevant document"),
        (_only("qrels.tsv", "q1\t\xe4\t0\n"), "is not UTF-8"),
        (_only("corpus.jsonl", ""), "holds no document"),
    ],
)
def test_a_folder_that_cannot_be_used_is_one_line(tmp_path: Path, broken: Break, said: str) -> None:
    folder = write_collection(tmp_path)
    broken(folder)
    with pytest.raises(BenchError) as caught:
        read_collection(folder)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"la_code": "E10000016"}, "unknown key la_code"),
        ({"question": ""}, "needs an id and words"),
        ({"id": "break"}, "is there twice"),
        ({"split": "test"}, "Invalid enum value"),
        ({"forbidden": ["kent/gone"]}, 'there is no document "kent/gone"'),
        ({"forbidden": ["kent/taxis"]}, "is judged twice"),
        ({"relevant": [{"document": "kent/taxis", "grade": 0}]}, "a grade is not from 1"),
        ({"relevant": []}, "exactly the kind no-answer"),
        ({"kind": "no-answer"}, "exactly the kind no-answer"),
    ],
)
def test_a_judged_question_of_a_pack_that_cannot_be_used_is_one_line(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    pack = write_pack(tmp_path / "pack")
    rows = [QUESTIONS[1], {**QUESTIONS[0], **change}]
    write_lines(pack / "eval" / "questions.jsonl", rows)
    with pytest.raises(BenchError) as caught:
        read_pack_questions(pack, ["kent/taxis", "birmingham/taxis", "national/breaks"])
    assert f"questions.jsonl:2: {said}"[:15] in str(caught.value)
    assert said in str(caught.value)


def test_the_shared_collections_can_be_read(shared_data: Path) -> None:
    for name in ("scifact", "cranfield", "white_sharc"):
        stats = json.loads((shared_data / "ir" / name / "stats.json").read_text())
        found = read_collection(shared_data / "ir" / name)
        assert len(found.documents) == stats["docs"]
        assert len(found.questions.questions) == stats["queries_with_qrels"]
