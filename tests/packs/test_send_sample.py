"""The sample corpus of the SEND pack: what the demonstration and the search tests count on."""

import re
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from ingest.packs.loading import load_pack
from ingest.samples.source import FORMATS, Sample, read_sample

SEND = Path(__file__).resolve().parents[2] / "packs" / "send"


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return [read_sample(path) for path in sorted(SEND.glob("sample/documents/*/*.md"))]


def test_the_corpus_is_as_large_as_promised(samples: list[Sample]) -> None:
    assert len(samples) >= 60
    groups = Counter(sample.group for sample in samples)
    least = {
        "national": 15, "birmingham": 8, "kent": 8, "barnsley": 8, "charity": 4,
        "schools-birmingham": 4, "schools-kent": 4, "schools-barnsley": 4,
    }  # fmt: skip
    assert set(groups) == set(least)
    assert {group: number for group, number in least.items() if groups[group] < number} == {}


def test_every_format_is_there_in_number(samples: list[Sample]) -> None:
    formats = Counter(sample.format for sample in samples)
    assert set(formats) == set(FORMATS)
    assert min(formats.values()) >= 10


def test_each_of_the_six_schools_has_a_policy_of_its_own(samples: list[Sample]) -> None:
    schools = {sample.school_urn for sample in samples} - {None}
    assert schools == {f"99000{number}" for number in range(1, 7)}


def test_documents_are_of_realistic_length(samples: list[Sample]) -> None:
    lengths = {sample.path.name: len(" ".join(sample.texts).split()) for sample in samples}
    assert {name: n for name, n in lengths.items() if not 150 <= n <= 2500} == {}


def test_every_document_says_that_it_is_illustrative(samples: list[Sample]) -> None:
    for sample in samples:
        assert "illustrative" in " ".join(sample.texts[:4]).lower(), sample.path.name


def test_no_document_names_a_real_address(samples: list[Sample]) -> None:
    for sample in samples:
        text = " ".join(sample.texts)
        for address in re.findall(r"[\w.+-]+@([\w.-]+\w)", text):
            assert address.endswith(("example.org", ".example", "example.com")), sample.path.name
        for number in re.findall(r"\b0\d{2,4} \d{3,4} ?\d{3,4}\b", text):
            assert number.startswith("0000"), (sample.path.name, number)


def test_the_subject_that_differs_is_covered_by_all_three_authorities(
    samples: list[Sample],
) -> None:
    for tag in ("transport", "ehc-needs-assessment", "exclusion", "ebsa", "annual-review"):
        groups = {sample.group for sample in samples if tag in sample.tags}
        assert {"birmingham", "kent", "barnsley"} <= groups, tag


def test_an_old_code_is_used_somewhere(samples: list[Sample]) -> None:
    assert "E08000016" in {sample.la_code for sample in samples}


def test_at_least_four_documents_replace_an_older_one(
    db: psycopg.Connection, samples: list[Sample]
) -> None:
    load_pack(db, SEND)
    families: dict[tuple[str | None, str | None, str], list[Sample]] = {}
    for sample in samples:
        row = db.execute(
            "select corpus.title_key(title => %s), place.resolve_authority(code => %s)",
            (sample.title, sample.la_code),
        ).fetchone()
        assert row is not None
        assert row[0] is not None, f"{sample.title} is too generic to be told apart"
        families.setdefault((sample.school_urn, row[1], row[0]), []).append(sample)
    pairs = [family for family in families.values() if len(family) > 1]
    assert len(pairs) >= 4
    for family in pairs:
        # without two dates nobody could say which replaces which
        assert len({sample.effective_date for sample in family}) == len(family)
        assert len({sample.authority for sample in family}) == 1
