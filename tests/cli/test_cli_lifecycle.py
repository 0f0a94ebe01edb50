"""`pgkb up`, `down`, `psql` and `demo`: from nothing to answers and back."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import REPOSITORY, pgkb, pgkb_here

KENT, BARNSLEY = "E10000016", "E08000038"


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that root's server can live in: pytest's own folders are shut to other users."""
    base = Path(tempfile.mkdtemp(prefix="pgkb-cli-"))
    base.chmod(0o755)
    yield base / "home"
    pgkb_here("down", PGKB_HOME=str(base / "home"))
    shutil.rmtree(base)


def test_up_brings_everything_and_down_leaves_the_data(home: Path) -> None:
    here = {"PGKB_HOME": str(home)}
    first = pgkb("up", "--json", **here)
    assert first.code == 0, first.err
    assert first.json["server"]["embedded"] is True
    assert ":***@127.0.0.1:" in first.json["server"]["url"]
    assert first.json["pack"] == "send"
    assert first.json["embedding"]["answering"] is True

    again = pgkb_here("up", "--json", **here)
    assert again.json["deploy"] == {"changed": False, "migrations": [], "skipped": []}
    assert again.json["pack"] is None

    asked = pgkb("psql", "-XAt", "-c", "select count(*) > 150 from place.authority", **here)
    assert (asked.code, asked.out) == (0, "t\n"), asked.err
    # the endpoint answers the server itself: an empty corpus, but no "keyword only" notice
    worded = pgkb("psql", "-XAt", "-c", "select count(*) from search_text('who helps?')", **here)
    assert (worded.code, worded.out, worded.err) == (0, "0\n", "")

    checked = pgkb_here("doctor", "--json", **here)
    assert checked.code == 0, checked.out
    assert {check["state"] for check in checked.json["checks"]} == {"ok"}

    assert pgkb_here("down", "--json", **here).json["database"] == {"running": False}
    assert pgkb_here("status", "--json", **here).json["database"]["running"] is False
    refused = pgkb_here("ask", "who helps?", **here)
    assert refused.code == 2
    assert "pgkb up" in refused.line()

    assert pgkb_here("up", "--json", **here).json["pack"] is None


def test_a_home_that_cannot_be_used_is_one_line(home: Path) -> None:
    home.mkdir()
    (home / "letter.txt").write_text("not ours")
    ended = pgkb_here("up", PGKB_HOME=str(home))
    assert ended.code == 2
    assert "PGKB_HOME" in ended.line()


def test_psql_never_shows_the_password_in_its_arguments(home: Path, library_url: str) -> None:
    ended = pgkb(
        "psql", "-XAt", "-c", "\\! ps -o args= -p $PPID",
        PGKB_DATABASE_URL=library_url, PGKB_HOME=str(home),
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "dbname" in ended.out
    secret = library_url.partition("://")[2].partition("@")[0].partition(":")[2]
    assert not secret or secret not in ended.out


def test_the_demo_answers_each_visitor_from_the_right_sources(home: Path, blank_url: str) -> None:
    here = {"PGKB_DATABASE_URL": blank_url, "PGKB_HOME": str(home)}
    ended = pgkb("demo", "--json", **here)
    assert ended.code == 0, ended.err
    visitors = ended.json["visitors"]
    assert len(visitors) >= 8

    for told in visitors:
        allowed = {None, told["scope"]["la_code"], told["scope"]["home_la_code"]}
        assert {source["la_code"] for source in told["sources"]} <= allowed
        assert set(told["citations"]) <= {source["number"] for source in told["sources"]}
        assert bool(told["citations"]) == told["found"]

    birmingham, kent, cross_border, school, canterbury, barnsley, nowhere, number, tractor = (
        visitors
    )
    assert birmingham["visitor"]["question"] == kent["visitor"]["question"]
    assert birmingham["answer"] != kent["answer"]
    assert _places(cross_border) >= {"la", "home_la"}
    assert "school" in _places(school)
    assert canterbury["scope"]["la_code"] == KENT
    assert barnsley["scope"]["la_code"] == BARNSLEY
    assert _places(nowhere) == {"national"}
    assert "transport policy for Kent" in number["sources"][0]["title"]
    assert not tractor["found"]
    assert tractor["sources"] == []
    assert all(told["found"] for told in visitors[:-1])

    again = pgkb_here("ingest", "--manifest", _manifest(), "--json", **here)
    assert again.code == 0
    assert again.json["counts"] == {"unchanged": len(again.json["files"])}


def _places(told: dict[str, list[dict[str, str]]]) -> set[str]:
    return {source["scope"] for source in told["sources"]}


def _manifest() -> Path:
    return REPOSITORY / "build" / "sample" / "manifest.jsonl"
