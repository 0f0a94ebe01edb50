"""Loading a pack: all or nothing, again without harm, a bad row named by file and line."""

import shutil
from pathlib import Path

import psycopg
import pytest

from ingest.packs.files import read_pack
from ingest.packs.loading import PackError, PackReport, load_pack
from tests.roles import role

SEND = Path(__file__).resolve().parents[3] / "packs" / "send"

PACK_TOML = """
[pack]
name = "tiny"
title = "A tiny domain"
jurisdiction = "county"
language = "en-GB"

[chat]
system_prompt = "Answer from the sources."
no_area_disclaimer = "No area is known."
not_found = "Nothing was found."
"""
FILES = {
    "authorities.csv": (
        "gss,dfe_code,name,kind,region,status,start_date,end_date,successors,website\n"
        "E08000038,370,Barnsley,metropolitan,North,live,2025-05-01,,,https://www.barnsley.gov.uk\n"
        "E08000016,370,Barnsley,metropolitan,North,ended,2009-01-01,2025-04-30,E08000038,\n"
    ),
    "districts.csv": "lad_gss,name,authority_gss,status\nE07000001,Dale,E08000038,live\n",
    "schools.csv": (
        "urn,name,la_code,phase,postcode,website,status\n"
        "990005,Dearne Bank Primary School,E08000016,primary,,,open\n"
    ),
    "synonyms.tsv": (
        "pattern\tphrases\texpansions\tcitation\tcaution\tunless\n"
        "\\mkicked out\\M\tkicked out\texclusion; suspension\tEA 2002 s.51A\n"
    ),
    "topics.tsv": (
        "slug\tname\tpattern\tcitation\tfact\texamples\n"
        "exclusion\tExclusion\texclu\tEA 2002 s.51A\t\twas excluded | exclusion\n"
    ),
    "ranks.csv": "authority,weight,meaning\nla,1.05,councils\n",
    "domains.csv": "domain,authority,scope,note\nexample.org,la,national,\n",
    "policy_pages.tsv": "slug\tname\tphrases\tunless\nsend-policy\tSEND policy\tsend policy\t\n",
}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A pack with one row or two in every file."""
    (tmp_path / "pack.toml").write_text(PACK_TOML, encoding="utf-8")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def put(pack: Path, name: str, text: str) -> None:
    """Add a line to a file of the pack."""
    with (pack / name).open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def stored(db: psycopg.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Everything a pack brings, less keys and instants that grow by themselves."""
    queries = {
        "authority": "select * from place.authority order by gss",
        "successor": "select * from place.authority_successor order by 1, 2",
        "district": "select * from place.district order by lad_gss",
        "school": "select * from place.school order by urn",
        "synonym": (
            "select pack, pattern, unless, phrases, expansions, citation, caution"
            " from terms.synonym order by pattern"
        ),
        "topic": "select * from terms.topic order by slug",
        "rank": "select * from corpus.authority_rank order by authority",
        "domain": "select * from corpus.domain order by domain",
    }
    return {name: db.execute(query.encode()).fetchall() for name, query in queries.items()}


def refusal(db: psycopg.Connection, pack: Path) -> str:
    """The one line with which a pack is refused; nothing of it may be stored."""
    before = stored(db)
    with pytest.raises(PackError) as caught:
        load_pack(db, pack)
    assert stored(db) == before
    assert db.execute("select count(*) from terms.pack").fetchone() == (0,)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 400
    return line.replace(f"{pack}/", "")


def refusal_of_files(pack: Path) -> str:
    """The one line with which files are refused before any database is asked."""
    with pytest.raises(PackError) as caught:
        read_pack(pack)
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(f"{pack}/", "")


def test_the_report_counts_what_was_loaded(db: psycopg.Connection, tiny: Path) -> None:
    assert load_pack(db, tiny) == PackReport(
        pack="tiny", title="A tiny domain", authorities=2, districts=1, schools=1,
        synonyms=1, topics=1, ranks=1, domains=1, policy_pages=1,
    )  # fmt: skip


def test_what_is_loaded_is_what_the_files_say(db: psycopg.Connection, tiny: Path) -> None:
    load_pack(db, tiny)
    held = stored(db)
    assert held["successor"] == [("E08000016", "E08000038")]
    assert held["synonym"] == [
        ("tiny", r"\mkicked out\M", None, "kicked out", ["exclusion", "suspension"],
         "EA 2002 s.51A", "")
    ]  # fmt: skip
    # a school keeps to the authority that answers for it today
    assert db.execute("select la_code from place.school").fetchone() == ("E08000038",)


def test_loading_the_send_pack_again_changes_nothing(db: psycopg.Connection) -> None:
    first = load_pack(db, SEND)
    held = stored(db)
    assert load_pack(db, SEND) == first
    assert stored(db) == held


def test_a_row_that_is_gone_from_the_words_is_gone_from_the_database(
    db: psycopg.Connection, tiny: Path
) -> None:
    load_pack(db, tiny)
    (tiny / "synonyms.tsv").unlink()
    assert load_pack(db, tiny).synonyms == 0
    assert stored(db)["synonym"] == []


def test_a_pack_may_have_no_more_than_its_name(db: psycopg.Connection, tiny: Path) -> None:
    for name in FILES:
        (tiny / name).unlink()
    report = load_pack(db, tiny)
    assert (report.pack, report.synonyms, report.authorities) == ("tiny", 0, 0)


def test_the_ingest_role_may_load_a_pack(db: psycopg.Connection, tiny: Path) -> None:
    with role(db, "pgkb_ingest"):
        assert load_pack(db, tiny).topics == 1


def test_a_reader_may_not_and_is_told_by_the_server(db: psycopg.Connection, tiny: Path) -> None:
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        role(db, "pgkb_reader"),
    ):
        load_pack(db, tiny)


@pytest.mark.parametrize(
    ("name", "row", "said"),
    [
        ("authorities.csv", "E0800003,371,X,,,live,,,,", 'gss "E0800003" must be'),
        ("authorities.csv", "E08000039,37,X,,,live,,,,", 'dfe_code "37" must be'),
        ("authorities.csv", "E08000039,373,,,,live,,,,", "name is empty"),
        ("authorities.csv", "E08000039,373,X,,,gone,,,,", 'status "gone" must be'),
        ("authorities.csv", "E08000039,373,X,,,live,1/5/25,,,", 'start_date "1/5/25" must be'),
        ("authorities.csv", "E08000019,373,X,,,ended,,,E08000039,", "is not in this file"),
        ("authorities.csv", "E08000019,373,X,,,ended,,,E08000019,", "succeeds itself"),
        ("authorities.csv", "E08000039,373,X,,,live,,,E08000038,", "has no successors"),
        ("authorities.csv", "E08000039,373,X,,,live,,,,kent", 'website "kent" must be'),
        ("authorities.csv", "E08000038,370,X,,,live,,,,", "stands on line 2 already"),
        ("authorities.csv", "E08000039,373,X", "only 3 of 10 columns"),
        ("districts.csv", "E07000002,Fell,E08000016,live", "E08000016 is not a live authority"),
        ("schools.csv", "99000,X,E08000038,,,,open", 'urn "99000" must be six digits'),
        ("schools.csv", "990001,X,E10000016,,,,open", "la_code E10000016 is not in"),
        ("schools.csv", "990001,X,E08000038,,,,shut", 'status "shut" must be open or closed'),
        ("synonyms.tsv", "abc\tabc\t ; ", "expansions is empty"),
        ("synonyms.tsv", "\tabc\tdef", "pattern is empty"),
        ("synonyms.tsv", "a\tb\tc\td\te\tf\tg", "7 cells for 6 columns"),
        ("topics.tsv", "Not A Slug\tX\tx", 'slug "Not A Slug" must be'),
        ("topics.tsv", "a\0b\tX\tx", "a NUL character"),
        ("ranks.csv", "charity,9,too much", 'weight "9" must be a number from 0.5 to 2'),
        ("ranks.csv", "charity,nan,", 'weight "nan" must be'),
        ("domains.csv", "www.ipsea.org.uk,la,national,", 'domain "www.ipsea.org.uk" must be'),
        ("domains.csv", "ipsea.org.uk,charity,national,", "is not in ranks.csv"),
        ("domains.csv", "ipsea.org.uk,la,local,", 'scope "local" must be national'),
        ("domains.csv", '"ipsea.org.uk', "not readable as CSV"),
    ],
)
def test_a_bad_row_is_named_by_file_and_line(tiny: Path, name: str, row: str, said: str) -> None:
    put(tiny, name, row)
    number = len(FILES[name].splitlines()) + 1
    told = refusal_of_files(tiny)
    assert told.startswith(f"{name}:{number}: ")
    assert said in told


def test_a_pack_with_a_bad_row_leaves_nothing_behind(db: psycopg.Connection, tiny: Path) -> None:
    put(tiny, "domains.csv", "ipsea.org.uk,charity,national,")
    assert refusal(db, tiny).startswith("domains.csv:3: ")


@pytest.mark.parametrize(
    ("name", "row", "said"),
    [
        ("synonyms.tsv", "(abc\tabc\tdef", "synonyms.tsv:3: "),
        ("synonyms.tsv", "abc\tabc\tdef\t\t\t[z", "synonyms.tsv:3: "),
        ("synonyms.tsv", "a*\tall\tdef", "matches every question"),
        ("topics.tsv", "broken\tX\tx{3,1}", "topics.tsv:3: "),
    ],
)
def test_a_pattern_the_server_cannot_run_is_named_by_its_line(
    db: psycopg.Connection, tiny: Path, name: str, row: str, said: str
) -> None:
    put(tiny, name, row)
    line = refusal(db, tiny)
    assert said in line
    assert f"{name}:3: " in line


def test_what_was_loaded_before_survives_a_pack_that_is_refused(
    db: psycopg.Connection, tiny: Path
) -> None:
    load_pack(db, tiny)
    held = stored(db)
    put(tiny, "ranks.csv", "charity,1.0,advice")
    put(tiny, "topics.tsv", "broken\tX\t(x")
    with pytest.raises(PackError, match="topics"):
        load_pack(db, tiny)
    assert stored(db) == held


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("name = ", "nom = "), "pack.toml: unknown key nom in pack"),
        (('"tiny"', '"Tiny!"'), 'pack.toml: name "Tiny!" must be a word'),
        (('"A tiny domain"', '""'), "pack.toml: title in pack must be a text"),
        (("[chat]", "[talk]"), "pack.toml: unknown key talk in the file"),
        (("[chat]", "[chat"), "pack.toml is not readable as TOML"),
        (
            ("[chat]", "[models.m]\nvector_weight = 11\n[chat]"),
            'pack.toml: vector_weight of "m" must be a number from 0 to 10',
        ),
        (("[chat]", "sources = 1\n[chat]"), "pack.toml: unknown key sources in pack"),
    ],
)
def test_a_bad_pack_toml_is_one_line(tiny: Path, change: tuple[str, str], said: str) -> None:
    (tiny / "pack.toml").write_text(PACK_TOML.replace(*change, 1), encoding="utf-8")
    assert said in refusal_of_files(tiny)


def test_a_folder_without_pack_toml_is_refused(tiny: Path) -> None:
    (tiny / "pack.toml").unlink()
    assert "pack.toml is missing" in refusal_of_files(tiny)
    assert "is not a directory" in refusal_of_files(tiny / "absent")


def test_a_file_with_another_header_is_refused(tiny: Path) -> None:
    (tiny / "ranks.csv").write_text("kind,weight,meaning\n", encoding="utf-8")
    assert "ranks.csv:1: the header must be: authority,weight,meaning" in refusal_of_files(tiny)


def test_a_file_that_is_not_utf8_is_refused(tiny: Path) -> None:
    (tiny / "schools.csv").write_bytes(FILES["schools.csv"].encode() + b"St John\x92s")
    assert "schools.csv: not UTF-8 at byte" in refusal_of_files(tiny)


def test_a_byte_order_mark_and_windows_line_ends_are_fine(
    db: psycopg.Connection, tiny: Path
) -> None:
    for name, text in FILES.items():
        content = text.replace("\n", "\r\n").encode("utf-8-sig")
        (tiny / name).write_bytes(content)
    assert load_pack(db, tiny).synonyms == 1
    assert stored(db)["synonym"][0][1] == r"\mkicked out\M"


def test_two_packs_live_side_by_side(
    db: psycopg.Connection, tiny: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("packs") / "other"
    shutil.copytree(tiny, other)
    toml = PACK_TOML.replace('"tiny"', '"other"')
    (other / "pack.toml").write_text(toml, encoding="utf-8")
    topics = FILES["topics.tsv"].replace("exclusion\tE", "leave\tE")
    (other / "topics.tsv").write_text(topics, encoding="utf-8")
    load_pack(db, tiny)
    load_pack(db, other)
    assert [row[:2] for row in stored(db)["topic"]] == [("tiny", "exclusion"), ("other", "leave")]
