"""The judged questions of the SEND pack: whether they can be trusted to judge a search."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path

import psycopg
import pytest

from ingest.packs.files import read_pack
from ingest.packs.loading import load_pack
from ingest.samples.source import Sample, read_sample

SEND = Path(__file__).resolve().parents[2] / "packs" / "send"

LEAST = {
    "la-bias": 20, "cross-border": 10, "school": 14, "identifier": 14,
    "colloquial": 20, "plain": 8, "superseded": 8, "no-answer": 16,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """One line of the file; the fields stand in the order of its keys."""

    id: str
    kind: str
    question: str
    la: str | None
    home_la: str | None
    urn: str | None
    tags: list[str] | None
    as_of: str | None
    split: str
    relevant: list[dict[str, object]]
    forbidden: list[str]
    note: str

    @property
    def day(self) -> date:
        """The day it is asked for; without one, after everything that is published."""
        return date.fromisoformat(self.as_of) if self.as_of else date.max

    @property
    def has_place(self) -> bool:
        """Without a place a search may fall back to all areas."""
        return any((self.la, self.home_la, self.urn))

    @property
    def grades(self) -> dict[str, int]:
        """Relevant documents with their grades."""
        return {str(entry["document"]): int(str(entry["grade"])) for entry in self.relevant}

    @property
    def best(self) -> set[str]:
        """The documents that answer it fully."""
        return {document for document, grade in self.grades.items() if grade == 3}


class Corpus:
    """What the texts say of themselves, with the pack's own rules for places and editions."""

    def __init__(self, db: psycopg.Connection) -> None:
        self.samples = {
            f"{path.parent.name}/{path.stem}": read_sample(path)
            for path in sorted(SEND.glob("sample/documents/*/*.md"))
        }
        codes = {sample.la_code for sample in self.samples.values()}
        codes |= {code for asked in QUESTIONS for code in (asked.la, asked.home_la)}
        self._families = {code: self._family(db, code) for code in codes if code is not None}
        self._titles = {name: self._title_key(db, s) for name, s in self.samples.items()}

    @staticmethod
    def _family(db: psycopg.Connection, code: str) -> frozenset[str]:
        row = db.execute("select place.authority_family(%s)", (code,)).fetchone()
        assert row is not None
        return frozenset(row[0])

    @staticmethod
    def _title_key(db: psycopg.Connection, sample: Sample) -> str:
        row = db.execute("select corpus.title_key(%s)", (sample.title,)).fetchone()
        assert row is not None
        return str(row[0])

    def _owner(self, name: str) -> tuple[str | None, frozenset[str], str]:
        sample = self.samples[name]
        family = self._families[sample.la_code] if sample.la_code else frozenset[str]()
        return sample.school_urn, family, self._titles[name]

    def in_scope(self, name: str, asked: Question) -> bool:
        """Whether it belongs to the asker's authorities, school or to everybody."""
        sample = self.samples[name]
        if sample.school_urn is not None:
            return sample.school_urn == asked.urn
        if sample.la_code is None:
            return True
        return any(
            code is not None and sample.la_code in self._families[code]
            for code in (asked.la, asked.home_la)
        )

    def in_force(self, name: str, day: date) -> bool:
        """Whether it is the newest edition of its subject that had begun on that day."""
        begun = [
            other
            for other, sample in self.samples.items()
            if self._owner(other) == self._owner(name) and sample.effective_date <= day
        ]
        return bool(begun) and name == max(begun, key=lambda n: self.samples[n].effective_date)

    def visible(self, name: str, asked: Question) -> bool:
        """Whether a search as asked may show it, tags apart."""
        return self.in_scope(name, asked) and self.in_force(name, asked.day)


QUESTIONS = [
    Question(**json.loads(line))
    for line in (SEND / "eval" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture
def corpus(db: psycopg.Connection) -> Corpus:
    load_pack(db, SEND)
    return Corpus(db)


def of_kind(kind: str) -> Iterator[Question]:
    return (asked for asked in QUESTIONS if asked.kind == kind)


def test_a_line_holds_the_keys_in_their_order_and_something_in_each_text() -> None:
    keys = [field.name for field in fields(Question)]
    for line in (SEND / "eval" / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        assert list(json.loads(line)) == keys, line[:40]
    for asked in QUESTIONS:
        for text in (asked.question, asked.note):
            assert text.strip() == text != "", asked.id
        # an empty list would be another way to say null
        assert asked.tags != [], asked.id


def test_every_kind_has_its_number() -> None:
    kinds = Counter(asked.kind for asked in QUESTIONS)
    assert set(kinds) == set(LEAST)
    assert {kind: kinds[kind] for kind in LEAST if kinds[kind] < LEAST[kind]} == {}


def test_an_id_stands_once_and_names_its_kind() -> None:
    assert max(Counter(asked.id for asked in QUESTIONS).values()) == 1
    for asked in QUESTIONS:
        assert re.fullmatch(rf"{asked.kind}-\d\d", asked.id), asked.id


def test_each_kind_is_halved_between_the_splits() -> None:
    for kind in LEAST:
        splits = Counter(asked.split for asked in of_kind(kind))
        assert set(splits) == {"tune", "held-out"}, kind
        assert abs(splits["tune"] - splits["held-out"]) <= 1, kind
    # asked for a day in the past is a kind of its own
    past = Counter(asked.split for asked in QUESTIONS if asked.as_of)
    assert past["tune"] == past["held-out"]


def test_no_question_is_asked_twice() -> None:
    asked_for: dict[str, list[Question]] = defaultdict(list)
    for asked in QUESTIONS:
        asked_for[" ".join(re.findall(r"\w+", asked.question.lower()))].append(asked)
    for text, group in asked_for.items():
        # what is tuned on must not be reported on, whomever it is asked for
        assert len({asked.split for asked in group}) == 1, text
        assert len({(asked.la, asked.home_la, asked.urn) for asked in group}) == len(group), text
        assert len(group) == 1 or group[0].kind == "la-bias", text


def test_codes_urns_and_tags_are_the_packs() -> None:
    pack = read_pack(SEND)
    authorities = set(pack.authorities.keys("gss"))
    schools = {row.values["urn"]: row.values["la_code"] for row in pack.schools}
    topics = set(pack.topics.keys("slug"))
    for asked in QUESTIONS:
        assert {asked.la, asked.home_la} - {None} <= authorities, asked.id
        assert set(asked.tags or ()) <= topics, asked.id
        if asked.urn is not None:
            assert asked.la in {None, schools[asked.urn]}, asked.id


def test_every_document_named_is_there_and_named_once(corpus: Corpus) -> None:
    for asked in QUESTIONS:
        named = [str(entry["document"]) for entry in asked.relevant] + asked.forbidden
        assert set(named) <= corpus.samples.keys(), asked.id
        # which also keeps what is relevant and what is forbidden apart
        assert len(set(named)) == len(named), asked.id


def test_grades_run_from_1_to_3_and_an_answer_comes_first() -> None:
    for asked in QUESTIONS:
        assert all(entry.keys() == {"document", "grade"} for entry in asked.relevant), asked.id
        grades = [entry["grade"] for entry in asked.relevant]
        assert set(grades) <= {1, 2, 3}, asked.id
        if asked.kind != "no-answer":
            assert grades[0] == 3, asked.id
            assert len(asked.best) <= 2, asked.id


def test_no_answer_means_that_nothing_is_relevant() -> None:
    for asked in of_kind("no-answer"):
        assert asked.relevant == [], asked.id


def test_whatever_is_relevant_may_be_shown(corpus: Corpus) -> None:
    for asked in QUESTIONS:
        hidden = [name for name in asked.grades if not corpus.visible(name, asked)]
        assert hidden == [], asked.id


def test_whatever_is_forbidden_is_out_of_scope_or_not_in_force(corpus: Corpus) -> None:
    for asked in QUESTIONS:
        for name in asked.forbidden:
            out_of_scope = asked.has_place and not corpus.in_scope(name, asked)
            assert out_of_scope or not corpus.in_force(name, asked.day), (asked.id, name)


def test_tags_leave_what_is_relevant_or_fall_away(corpus: Corpus) -> None:
    fallen = 0
    for asked in QUESTIONS:
        if asked.tags is None:
            continue
        tagged = {
            name
            for name, sample in corpus.samples.items()
            if corpus.visible(name, asked) and set(sample.tags) & set(asked.tags)
        }
        fallen += not tagged
        assert not tagged or asked.grades.keys() <= tagged, asked.id
    assert fallen >= 1


def test_an_authoritys_own_page_answers_best_what_all_three_are_asked(corpus: Corpus) -> None:
    groups: dict[str, list[Question]] = defaultdict(list)
    for asked in of_kind("la-bias"):
        groups[asked.question].append(asked)
    for text, group in groups.items():
        assert {asked.la for asked in group} == {"E10000016", "E08000025", "E08000038"}, text
        best = [name for asked in group for name in asked.best]
        assert len(best) == 3, text
        for asked in group:
            (own,) = asked.best
            # whatever code it stands under, its authority's family has it and no school's
            assert corpus.in_scope(own, asked), asked.id
            assert corpus.samples[own].authority == "la", asked.id
            # the pages of the other two are the temptation
            assert set(best) - asked.best <= set(asked.forbidden), asked.id


def test_across_a_border_two_authorities_are_named() -> None:
    for asked in of_kind("cross-border"):
        assert None not in {asked.la, asked.home_la}, asked.id
        assert asked.la != asked.home_la, asked.id


def test_a_school_question_is_answered_by_the_schools_own_document(corpus: Corpus) -> None:
    for asked in of_kind("school"):
        assert {corpus.samples[name].school_urn for name in asked.best} == {asked.urn}, asked.id
        others = {corpus.samples[name].school_urn for name in asked.forbidden} - {asked.urn, None}
        assert others, asked.id


def test_an_identifier_question_has_a_number_that_a_text_bears(corpus: Corpus) -> None:
    for asked in of_kind("identifier"):
        numbers = set(re.findall(r"\d+[A-Z]?", asked.question.upper()))
        assert numbers, asked.id
        for name in asked.best:
            text = " ".join(corpus.samples[name].texts).upper()
            assert numbers & set(re.findall(r"\d+[A-Z]?", text)), (asked.id, name)


def test_a_superseded_question_tempts_with_another_edition(corpus: Corpus) -> None:
    for asked in of_kind("superseded"):
        tempting = [n for n in asked.forbidden if not corpus.in_force(n, asked.day)]
        assert tempting, asked.id
    past = [asked for asked in of_kind("superseded") if asked.as_of]
    assert len(past) >= 3
    for asked in past:
        assert not all(corpus.in_force(name, date.max) for name in asked.best), asked.id
