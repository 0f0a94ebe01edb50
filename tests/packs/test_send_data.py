"""The places, publishers and numbers of the SEND pack."""

import csv
import re
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from ingest.packs.files import Pack, read_pack
from ingest.packs.loading import load_pack

SEND = Path(__file__).resolve().parents[2] / "packs" / "send"


@pytest.fixture(scope="module")
def pack() -> Pack:
    return read_pack(SEND)


def authority_of(db: psycopg.Connection, code: str) -> str:
    row = db.execute("select place.resolve_authority(code => %s)", (code,)).fetchone()
    assert row is not None
    return str(row[0])


def lines(name: str) -> list[dict[str, str]]:
    with (SEND / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_there_are_153_authorities_and_19_that_ended(pack: Pack) -> None:
    live = [row.values for row in pack.authorities if row.values["status"] == "live"]
    assert (len(live), len(pack.authorities) - len(live)) == (153, 19)
    kinds = Counter(str(values["kind"]) for values in live)
    assert kinds == {"unitary": 63, "metropolitan": 36, "london": 33, "county": 21}
    assert len({values["dfe_code"] for values in live}) == 153


def test_every_ended_code_names_who_took_over(pack: Pack) -> None:
    live = {r.values["gss"] for r in pack.authorities if r.values["status"] == "live"}
    for row in pack.authorities:
        if row.values["status"] == "ended":
            assert row.values["end_date"], row.line
            successors = row.values["successors"]
            assert isinstance(successors, list)
            assert successors, row.line
            assert set(successors) <= live, row.line


def test_every_live_authority_has_a_home_page(pack: Pack) -> None:
    for row in pack.authorities:
        if row.values["status"] == "live":
            assert str(row.values["website"]).startswith("https://"), row.line


LEADS_TO = {
    "E08000016": "E08000038",  # Barnsley's old code
    "E08000019": "E08000039",  # Sheffield's
    "E08000020": "E08000037",  # Gateshead's
    "E06000048": "E06000057",  # Northumberland's
    "E10000023": "E06000065",  # North Yorkshire, a county that became one unitary
    "E07000106": "E10000016",  # Canterbury is a district of Kent
    "E07000112": "E10000016",  # so is Folkestone and Hythe
    "E07000004": "E06000060",  # Aylesbury Vale, a district that ended
    "330": "E08000025",  # the three digits of Birmingham
    "370": "E08000038",  # of Barnsley, which two codes share
}


def test_any_code_leads_to_the_authority_that_answers_today(db: psycopg.Connection) -> None:
    load_pack(db, SEND)
    assert {code: authority_of(db, code) for code in LEADS_TO} == LEADS_TO


def test_districts_lead_to_live_counties(pack: Pack) -> None:
    statuses = Counter(line["status"] for line in lines("districts.csv"))
    assert statuses == {"live": 164, "ended": 40}
    folkestone = next(row for row in lines("districts.csv") if row["lad_gss"] == "E07000112")
    assert folkestone["status"] == "live"
    live = [row for row in lines("districts.csv") if row["status"] == "live"]
    assert len({row["authority_gss"] for row in live}) == 21


def test_each_sample_authority_has_two_invented_schools(pack: Pack) -> None:
    homes = Counter(str(row.values["la_code"]) for row in pack.schools)
    assert homes == {"E08000025": 2, "E10000016": 2, "E08000038": 2}
    for row in pack.schools:
        # real numbers begin with 1, and .example can never be a real site
        assert str(row.values["urn"]).startswith("99000")
        assert str(row.values["website"]).endswith(".example")


def test_publishers_rank_from_the_law_down_to_an_unchecked_file(pack: Pack) -> None:
    weights = {str(row.values["authority"]): row.values["weight"] for row in pack.ranks}
    order = ["statutory", "la", "charity", "school", "user_upload"]
    assert [weights[name] for name in order] == [1.10, 1.05, 1.00, 0.97, 0.90]


def test_no_council_or_trust_is_national(pack: Pack) -> None:
    hosts = pack.domains.keys("domain")
    assert {"gov.uk", "legislation.gov.uk", "nhs.uk", "ipsea.org.uk"} <= hosts
    councils = {
        re.sub(r"^https?://(www\.)?", "", str(row.values["website"])).split("/")[0]
        for row in pack.authorities
        if row.values["website"]
    }
    assert not councils & hosts
    assert not [host for host in hosts if host.endswith((".icb.nhs.uk", ".sch.uk"))]


def test_the_numbers_of_a_model_are_those_its_embedding_set_starts_with(
    db: psycopg.Connection, pack: Pack
) -> None:
    for model, numbers in pack.settings.models.items():
        seeded = db.execute(
            "select vector_weight, keyword_weight, retrieval_floor, relevance_floor, school_floor"
            " from embedding.set where model = %s",
            (model,),
        ).fetchone()
        assert seeded == (
            numbers.vector_weight,
            numbers.keyword_weight,
            numbers.retrieval_floor,
            numbers.relevance_floor,
            numbers.school_floor,
        ), model


def test_the_sources_are_named(pack: Pack) -> None:
    said = " ".join(source.attribution for source in pack.settings.sources)
    assert "Office for National Statistics licensed under the Open Government Licence v.3.0" in said
    assert "Contains OS data and Royal Mail data, Crown copyright and database right" in said
    for source in pack.settings.sources:
        for name in source.files:
            assert (SEND / name).exists(), name


def test_the_readme_counts_right(pack: Pack) -> None:
    readme = " ".join((SEND.parent / "README.md").read_text(encoding="utf-8").split())
    for said in (
        "153 education authorities and 19 ended codes",
        f"{len(pack.districts)} districts",
        f"{len(pack.synonyms)} synonym rows",
        f"{len(pack.topics)} topics",
        f"{len(pack.domains)} national web sites",
    ):
        assert said in readme, said


def test_the_codes_are_those_of_the_published_lists(pack: Pack, shared_data: Path) -> None:
    with (shared_data / "reference" / "education_authorities.csv").open(encoding="utf-8") as file:
        published = {row["gss"]: row["dfe_code"] or None for row in csv.DictReader(file)}
    assert {r.values["gss"]: r.values["dfe_code"] for r in pack.authorities} == published


def test_every_postcode_of_the_sample_reaches_its_authority(
    db: psycopg.Connection, shared_data: Path
) -> None:
    load_pack(db, SEND)
    with (shared_data / "reference" / "postcode_sample.csv").open(encoding="utf-8") as file:
        pairs = {(row["lad_gss"], row["education_authority_gss"]) for row in csv.DictReader(file)}
    assert len(pairs) >= 290
    assert [pair for pair in sorted(pairs) if authority_of(db, pair[0]) != pair[1]] == []
