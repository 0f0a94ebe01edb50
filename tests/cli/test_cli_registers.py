"""`pgkb load`: a summary of one line, every refused line named, and an exit code that tells."""

from pathlib import Path

import psycopg
import pytest

from tests.app.library import load_places_and_words
from tests.cli.command import pgkb, pgkb_here

SCHOOLS = (
    "URN,EstablishmentName,LA (code),Postcode\n"
    "100001,St John\u2019s,330,B1 1AA\n"
    "100002,Elm,330,\n"
    "1000,Oak,330,\n"
    + "".join(f"2{n:05},Nowhere,999,\n" for n in range(12))
)  # fmt: skip


@pytest.fixture
def places(db: psycopg.Connection, db_url: str) -> str:
    """The URL of a database with a few places."""
    load_places_and_words(db)
    return db_url


@pytest.fixture
def schools(tmp_path: Path) -> Path:
    path = tmp_path / "schools.csv"
    path.write_bytes(SCHOOLS.encode("cp1252"))
    return path


def test_refused_lines_are_named_and_the_others_are_kept(
    places: str, schools: Path, db: psycopg.Connection
) -> None:
    ended = pgkb("load", "schools", schools, PGKB_DATABASE_URL=places)
    assert ended.code == 1, ended.err
    lines = ended.out.splitlines()
    assert lines[0] == 'refused   line 4: URN "1000" is not six digits'
    assert lines[-1] == "15 schools read: 2 added, 13 refused"
    assert len(lines) == 11
    assert "3 more lines refused" in ended.err
    names = db.execute("select name from place.school where urn = '100001'").fetchall()
    assert names == [("St John\u2019s",)]


def test_json_names_every_refused_line(places: str, schools: Path) -> None:
    ended = pgkb_here("load", "schools", schools, "--json", PGKB_DATABASE_URL=places)
    assert ended.code == 1
    assert (ended.json["added"], ended.json["refused"]) == (2, 13)
    assert [problem["line"] for problem in ended.json["problems"]] == list(range(4, 17))
    assert ended.err == ""


def test_a_dry_run_keeps_nothing(places: str, tmp_path: Path, db: psycopg.Connection) -> None:
    path = tmp_path / "authorities.csv"
    path.write_text("gss,dfe_code,name,status\nE06000001,805,Hartlepool,live\n")
    for _ in range(2):
        ended = pgkb_here("load", "authorities", path, "--dry-run", PGKB_DATABASE_URL=places)
        assert (ended.code, ended.out) == (
            0,
            "1 authorities read: 1 added (dry run: nothing was kept)\n",
        )
    assert pgkb_here("load", "authorities", path, PGKB_DATABASE_URL=places).code == 0
    assert db.execute("select from place.authority where gss = 'E06000001'").fetchone() is not None


def test_far_fewer_postcodes_than_known_need_to_be_meant(places: str, tmp_path: Path) -> None:
    path = tmp_path / "postcodes.csv"
    path.write_text("postcode,lad_gss\nCT1 3AA,E07000106\n")
    refused = pgkb_here("load", "postcodes", path, PGKB_DATABASE_URL=places)
    assert refused.code == 2
    assert "(PL008)" in refused.line()
    assert "--shrink" in refused.line()
    meant = pgkb_here("load", "postcodes", path, "--shrink", PGKB_DATABASE_URL=places)
    assert (meant.code, meant.out) == (0, "1 postcodes read: 1 added, 2 removed\n")


@pytest.mark.parametrize("register", ["schools", "postcodes", "authorities"])
def test_a_file_that_is_no_register_is_one_line(places: str, tmp_path: Path, register: str) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,b\n1,2\n")
    for path, why in ((wrong, "Is it another file?"), (tmp_path / "none.csv", "No such file")):
        ended = pgkb_here("load", register, path, PGKB_DATABASE_URL=places)
        assert ended.code == 2
        assert why in ended.line()
        assert path.name in ended.line()
