"""Loading the public registers: as published, whole or not at all, every bad line told."""

import gzip
import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import scalar_row
from pytest_postgresql.executors import NoopExecutor

from ingest.packs.loading import PackError, load_pack
from ingest.registers.loading import (
    LoadReport,
    RegisterError,
    load_authorities,
    load_postcodes,
    load_schools,
)
from tests.roles import role
from tests.sandbox import held, shared_database

SEND = Path(__file__).resolve().parents[3] / "packs" / "send"
# the columns a full register of schools has and pgkb reads, among others
GIAS = (
    '"URN","LA (code)","LA (name)","EstablishmentName","EstablishmentStatus (code)","OpenDate",'
    '"CloseDate","PhaseOfEducation (name)","Postcode","SchoolWebsite","GSSLACode (name)"\r\n'
)
POSTCODES = "postcode,lad_gss\nB1 1AA,E08000025\nCT1 2EH,E07000106\n"


def _fill(db: psycopg.Connection) -> None:
    load_pack(db, SEND)
    db.execute("delete from place.school")


@pytest.fixture(scope="module")
def england_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    """The URL of a database with the authorities and districts of the pack, and no school."""
    with shared_database(server_url, template, _fill) as url:
        yield url


@pytest.fixture
def england(england_url: str) -> Iterator[psycopg.Connection]:
    """A connection to it; what the test did is undone afterwards."""
    with held(england_url) as db:
        # inside a transaction already, a load is a savepoint of it
        db.execute("select")
        yield db


def _write(folder: Path, text: str | bytes, name: str = "register.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _value(db: psycopg.Connection, query: str) -> Any:
    with db.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(query.encode()).fetchone()


def _names(db: psycopg.Connection) -> dict[str, str]:
    return dict(db.execute("select urn, name from place.school").fetchall())


def _lines(report: LoadReport) -> dict[int, str]:
    return {problem.line: problem.reason for problem in report.problems}


def _gias_row(urn: str, name: str) -> str:
    return (
        f'{urn},"330","Birmingham","{name}","1","01-09-1999","","Primary","B1 1AA",'
        '"www.school.example","E08000025"\r\n'
    )


@pytest.mark.parametrize(
    ("encoding", "mark"), [("cp1252", b""), ("utf-8", b""), ("utf-8", b"\xef\xbb\xbf")]
)
def test_the_bytes_decide_the_encoding(
    england: psycopg.Connection, tmp_path: Path, encoding: str, mark: bytes
) -> None:
    name = "St John\u2019s Caf\u00e9 \u2013 \u00a310 180\u00b0"
    text = GIAS + _gias_row("100001", name)
    load_schools(england, _write(tmp_path, mark + text.encode(encoding)))
    assert _names(england) == {"100001": name}


def test_lines_of_two_encodings_in_one_file_are_both_read(
    england: psycopg.Connection, tmp_path: Path
) -> None:
    """Somebody added a line of their own; no name may become mojibake."""
    published = GIAS.encode() + _gias_row("100001", "St John\u2019s").encode("cp1252")
    file = _write(tmp_path, published + _gias_row("100002", "\u00c9cole").encode())
    load_schools(england, file)
    assert _names(england) == {"100001": "St John\u2019s", "100002": "\u00c9cole"}
    assert b"\x92" in file.read_bytes()


def test_the_unassigned_bytes_of_windows_1252_are_no_error(
    england: psycopg.Connection, tmp_path: Path
) -> None:
    row = _gias_row("100001", "Oak").encode().replace(b"Oak", b"O\x81ak")
    assert load_schools(england, _write(tmp_path, GIAS.encode() + row)).added == 1


@pytest.mark.parametrize("packing", ["plain", "gzip", "zip"])
def test_what_a_file_is_its_bytes_say_and_not_its_name(
    england: psycopg.Connection, tmp_path: Path, packing: str
) -> None:
    path = _write(tmp_path, POSTCODES, "register.dat")
    if packing == "gzip":
        path.write_bytes(gzip.compress(POSTCODES.encode()))
    elif packing == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("Documents/names.csv", "code,name\n")
            archive.writestr("Data/ONSPD.CSV", POSTCODES)
            archive.writestr("readme.txt", "x" * 1000)
    assert load_postcodes(england, path).added == 2


def test_both_generations_of_the_register_of_schools_are_read(
    england: psycopg.Connection, shared_data: Path
) -> None:
    folder = shared_data / "reference"
    first = load_schools(england, folder / "gias_full_format_sample_2019.csv")
    second = load_schools(england, folder / "gias_full_format_sample_2024_anonymised.csv")
    assert (first.added, second.added) == (4, 2)
    rows = england.execute(
        "select urn, name, la_code, phase, postcode, website, status, closed::text"
        " from place.school where urn in ('100459', '140134') order by urn"
    ).fetchall()
    assert rows == [
        ("100459", "St Aloysius RC College", "E09000019", "Secondary", "N6 5LY",
         "http://www.sta.islington.sch.uk", "open", None),
        ("140134", "Example School", "E09000020", "Secondary", "W8 7AF", None, "closed",
         "2022-12-31"),
    ]  # fmt: skip


def test_a_schools_website_may_be_dropped_by_nobody_who_does_not_know_it(
    england: psycopg.Connection, tmp_path: Path
) -> None:
    load_schools(england, _write(tmp_path, GIAS + _gias_row("100001", "Oak")))
    reduced = "urn,name,close_date,la_gss_by_postcode\n100001,Oak,31-08-2020,E08000025\n"
    report = load_schools(england, _write(tmp_path, reduced))
    assert (report.closed, report.changed) == (1, 0)
    assert _value(england, "select website from place.school") == "http://www.school.example"
    # a school whose closing day is empty now is open again
    again = load_schools(england, _write(tmp_path, reduced.replace("31-08-2020", "")))
    assert again.changed == 1
    assert _value(england, "select status || coalesce(closed::text, '') from place.school") == (
        "open"
    )


def test_the_links_between_schools_come_with_the_same_command(
    england: psycopg.Connection, tmp_path: Path
) -> None:
    load_schools(
        england,
        _write(tmp_path, GIAS + _gias_row("100001", "Oak") + _gias_row("100002", "Oak Academy")),
    )
    links = (
        '"URN","LinkURN","LinkName","LinkType","LinkEstablishedDate"\r\n'
        '"100001","100002","Oak Academy","Successor","01-09-2012"\r\n'
        '"100002","100001","Oak","Predecessor","01-09-2012"\r\n'
        '"100001","999999","Elm","Successor","01-09-2012"\r\n'
    )
    report = load_schools(england, _write(tmp_path, links))
    assert (report.register, report.added, report.refused) == ("school links", 1, 1)
    assert _lines(report) == {4: 'school "999999" is not known'}


def test_bad_lines_are_counted_and_told_and_the_good_ones_are_kept(
    england: psycopg.Connection, tmp_path: Path
) -> None:
    text = (
        GIAS
        + _gias_row("100001", "Oak")
        + "100002,short\r\n"
        + "\r\n"
        + _gias_row("1000", "Elm")
        + _gias_row("100003", "A\x00sh")
        + '100004,"330","Birmingham","A\nname","1","31-02-1999","never","","","",""\r\n'
        + _gias_row("100001", "Oak again")
    )
    report = load_schools(england, _write(tmp_path, text))
    assert (report.read, report.added, report.refused) == (6, 2, 4)
    told = _lines(report)
    assert sorted(told) == [3, 5, 6, 9]
    assert told[3] == "2 cells where the header has 11"
    assert told[6] == "a NUL character"
    assert told[9] == "URN 100001 stands on line 2 already"
    assert _names(england) == {"100001": "Oak", "100004": "A name"}


def test_a_dry_run_tells_all_and_keeps_nothing(england: psycopg.Connection, tmp_path: Path) -> None:
    file = _write(tmp_path, GIAS + _gias_row("100001", "Oak"))
    assert load_schools(england, file, dry_run=True).added == 1
    assert _names(england) == {}
    assert load_postcodes(england, _write(tmp_path, POSTCODES), dry_run=True).added == 2
    assert _value(england, "select count(*) from place.postcode_sector") == 0
    assert load_authorities(england, SEND / "authorities.csv", dry_run=True).unchanged == 172


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("pcd,pcd2,pcds,dointr,doterm,oscty,oslaua", "B1  1AA,B1 1AA,B1 1AA,198001,,E99,E08000025"),
        ("\ufeffPCD7,PCDS,DOINTR,DOTERM,LAD25CD,CTRY25CD", "B1  1AA,B1 1AA,198001,,E08000025,E92"),
    ],
)
def test_the_register_of_postcodes_is_read_as_published(
    england: psycopg.Connection, tmp_path: Path, header: str, rows: str
) -> None:
    ended = rows.replace("1AA", "1AB").replace("198001,", "198001,201512")
    abroad = rows.replace("1AA", "1AC").replace("E08000025", "W06000015")
    file = _write(tmp_path, "\n".join([header, rows, ended, abroad]) + "\n")
    report = load_postcodes(england, file)
    assert (report.read, report.added, report.outside) == (3, 2, 1)
    assert england.execute("select * from place.postcode order by 1").fetchall() == [
        ("B1 1AA", "E08000025", False),
        ("B1 1AB", "E08000025", True),
    ]


def _broken_inside(packed: bytes) -> bytes:
    return packed[:40] + bytes(byte ^ 0xFF for byte in packed[40:80]) + packed[80:]


def _locked_archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("register.csv", GIAS)
    # the flag that says encrypted, in the entry and in the list of entries
    data = bytearray(packed.getvalue())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + flags] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"code,name,postcode\n1,2,3\n", 'no column "urn"'),
        (b"URN,Town\n100001,Leeds\n", "says of no school where it is"),
        (b"URN,Postcode\n100001,B1 1AA\n", 'no column "establishmentname"'),
        ("URN,Name\n".encode("utf-16"), "UTF-16"),
        (gzip.compress(GIAS.encode() * 999)[:-20], "damaged"),
        (_broken_inside(gzip.compress(GIAS.encode() * 999, mtime=0)), "damaged"),
        (b"PK\x03\x04 no archive", "damaged"),
        (_locked_archive(), "cannot be unpacked"),
        (b"<!DOCTYPE html><html>", "says of no school where it is"),
    ],
)
def test_a_file_that_is_no_register_is_refused_in_one_line(
    england: psycopg.Connection, tmp_path: Path, content: bytes, why: str
) -> None:
    file = _write(tmp_path, content)
    with pytest.raises(RegisterError) as refused:
        load_schools(england, file)
    assert why in str(refused.value)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_breaks_off_leaves_nothing_half_loaded(
    england: psycopg.Connection, tmp_path: Path
) -> None:
    whole = gzip.compress(
        (GIAS + "".join(_gias_row(str(100_000 + n), f"School {n}") for n in range(20_000))).encode()
    )
    with pytest.raises(RegisterError, match="damaged"):
        load_schools(england, _write(tmp_path, whole[: len(whole) // 2]))
    assert _names(england) == {}


def test_authorities_are_loaded_in_the_form_of_the_pack_and_in_the_published_one(
    england: psycopg.Connection, shared_data: Path
) -> None:
    assert load_authorities(england, SEND / "authorities.csv").unchanged == 172
    published = load_authorities(england, shared_data / "reference" / "education_authorities.csv")
    assert (published.read, published.added) == (172, 0)
    again = load_authorities(england, shared_data / "reference" / "education_authorities.csv")
    assert (again.changed, again.unchanged) == (0, 172)
    assert _value(england, "select place.resolve_authority('E08000016')") == "E08000038"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("E0800002,330,Short,,,live,,,", ":3:"),
        ("E08000025,330,Twice,,,live,,,", "stands on line 2 already"),
        ("E08000099,330,Gone,,,gone,,,", "live or ended"),
        ("E08000099,330,Lost,,,terminated,,,E09999999", "cannot be followed"),
        ("E08000099,330,Few", "cells"),
    ],
)
def test_one_bad_authority_refuses_the_file_by_line(
    england: psycopg.Connection, tmp_path: Path, line: str, why: str
) -> None:
    header = "gss,dfe_code,name,kind,region,status,start,end,successor_gss\n"
    file = _write(tmp_path, f"{header}E08000025,330,Renamed,,,live,,,\n{line}\n")
    with pytest.raises((PackError, RegisterError), match=why) as refused:
        load_authorities(england, file)
    assert f"{file}:3: " in str(refused.value)
    assert _value(england, "select name from place.authority where gss = 'E08000025'") == (
        "Birmingham"
    )


def test_ingest_may_load_every_register(england: psycopg.Connection, tmp_path: Path) -> None:
    with role(england, "pgkb_ingest"):
        load_authorities(england, SEND / "authorities.csv")
        load_postcodes(england, _write(tmp_path, POSTCODES))
        load_schools(england, _write(tmp_path, GIAS + _gias_row("100001", "Oak")))
        load_pack(england, SEND)


def test_every_english_postcode_and_school_is_loaded_and_answers(
    england: psycopg.Connection, shared_data: Path
) -> None:
    """2.26 million postcodes within a minute; then 22,010 and 42,545 schools, in seconds."""
    folder = shared_data / "reference"
    seen: list[tuple[int, int]] = []
    started = time.perf_counter()
    postcodes = load_postcodes(
        england,
        folder / "postcode_to_education_authority_england.csv.gz",
        on_progress=lambda done, size: seen.append((done, size)),
    )
    took = time.perf_counter() - started
    assert (postcodes.added, postcodes.refused, postcodes.outside) == (2_264_892, 0, 0)
    assert took < 60
    assert len(seen) > 100
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    assert _value(england, "select pg_total_relation_size('place.postcode_sector')") < 32_000_000

    started = time.perf_counter()
    then = load_schools(england, folder / "schools_all_2022-11.csv")
    now = load_schools(england, folder / "schools_open_2025-07.csv")
    assert time.perf_counter() - started < 30
    # a school whose place the register does not give has no authority
    assert (then.read, then.added, then.refused) == (42_545, 41_655, 890)
    assert (now.read, now.refused) == (22_010, 2)
    assert {p.reason for p in (*now.problems, *then.problems)} == {
        "no authority is given, and the postcode does not tell"
    }
    assert "North Star 180\u00b0" in _names(england).values()

    assert _told_otherwise(england, folder / "postcode_sample.csv") == 0


def _told_otherwise(db: psycopg.Connection, file: Path) -> int:
    """How many postcodes of the sample get another authority than it names."""
    db.execute("create temporary table told (postcode text, lad_gss text, gss text)")
    with db.cursor().copy("copy told from stdin with (format csv, header)") as copy:
        copy.write(file.read_bytes())
    count: int = _value(
        db,
        "select count(*) from told as t cross join lateral place.find_postcode(t.postcode) as f"
        " where f.la_code is distinct from t.gss or f.problem is not null",
    )
    return count
