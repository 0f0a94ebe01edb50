"""Archives are unpacked entry by entry, counted while inflated, and write nowhere but inside."""

import os
import secrets
import stat
import struct
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.archive.limits import ArchiveLimits, archive_limits_from
from ingest.archive.unpack import (
    ArchiveRefusedError,
    Entry,
    RefusedEntry,
    Unpacking,
    is_archive,
)
from ingest.errors import IngestError
from tests.ingest.archive.packing import altered, named, packed, write
from tests.ingest.parse.makers import docx, para

SMALL = ArchiveLimits(
    max_bytes=1_000_000,
    max_total=3_000_000,
    max_entries=50,
    max_entry=1_000_000,
    free_bytes=100_000,
)


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """The folder that is unpacked into."""
    folder = tmp_path / "inside"
    folder.mkdir()
    return folder


@pytest.fixture
def unpacking(inside: Path) -> Unpacking:
    """An upload that has not begun."""
    return Unpacking(inside, SMALL)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Where a test's archive goes."""
    return tmp_path / "upload.zip"


def texts(found: list[Entry | RefusedEntry]) -> dict[str, str]:
    """Name to text of what was unpacked."""
    return {e.name: e.path.read_text() for e in found if isinstance(e, Entry)}


def reasons(found: list[Entry | RefusedEntry]) -> dict[str, str]:
    """Name to reason of what was not."""
    return {e.name: e.reason for e in found if isinstance(e, RefusedEntry)}


# ---- entries -----------------------------------------------------------------------------------


def test_files_come_out_with_their_folders(archive: Path, unpacking: Unpacking) -> None:
    write(archive, {"a.txt": "A", "north/east/b.txt": "B", "south\\c.txt": "C", "./d.txt": "D"})
    found = list(unpacking.unpack(archive))
    assert texts(found) == {"a.txt": "A", "north/east/b.txt": "B", "south/c.txt": "C", "d.txt": "D"}
    assert [entry.folders for entry in found if isinstance(entry, Entry)] == [
        (),
        ("north", "east"),
        ("south",),
        (),
    ]


def test_a_bad_entry_stops_no_other(archive: Path, unpacking: Unpacking) -> None:
    # Z-03
    data = packed({name: f"text {name} " * 50 for name in ("one", "two", "three", "pw", "99", "x")})
    data = altered(data, "pw", flags=0x1)
    data = altered(data, "99", method=99)
    data = altered(data, "x", spoil=True)
    archive.write_bytes(data)
    found = list(unpacking.unpack(archive))
    assert set(texts(found)) == {"one", "two", "three"}
    told = reasons(found)
    assert set(told) == {"pw", "99", "x"}
    assert "password" in told["pw"]
    assert "unusual" in told["99"]
    assert "damaged" in told["x"]


def test_methods_that_take_memory_as_the_archive_says_are_not_used(
    archive: Path, unpacking: Unpacking
) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a.txt", "text")
    assert "unusual" in reasons(list(unpacking.unpack(archive)))["a.txt"]


@pytest.mark.parametrize("size", [1, 10_000_000])
def test_a_size_that_lies_is_damage_not_text(
    archive: Path, unpacking: Unpacking, size: int
) -> None:
    text = "all of it " * 1000
    archive.write_bytes(altered(packed({"a.txt": text}), "a.txt", size=size))
    found = list(unpacking.unpack(archive))
    assert texts(found) in ({}, {"a.txt": text})
    assert len(found) == 1


@pytest.mark.parametrize(
    "name",
    ["../../x.txt", "a\\..\\b.txt", "/etc/x.txt", "\\x.txt", "C:\\x.txt", "c:x.txt", "a/../../x"],
)
def test_a_name_that_leads_out_is_refused(
    archive: Path, unpacking: Unpacking, inside: Path, name: str
) -> None:
    # Z-02
    write(archive, {name: "out", "good.txt": "in"})
    before = set(inside.parent.rglob("*")) | {archive}
    found = list(unpacking.unpack(archive))
    assert texts(found) == {"good.txt": "in"}
    assert "leads out" in next(iter(reasons(found).values()))
    new = set(inside.parent.rglob("*")) - before
    assert {path.parent for path in new} == {inside}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_a_link_or_device_is_refused_and_never_followed(
    archive: Path, unpacking: Unpacking, kind: int
) -> None:
    # Z-02: its content is the name of its target
    archive.write_bytes(altered(packed({"l.txt": "/etc/passwd"}), "l.txt", mode=kind | 0o777))
    found = list(unpacking.unpack(archive))
    assert texts(found) == {}
    assert set(reasons(found)) == {"l.txt"}


def test_what_programs_leave_beside_files_is_passed_over_and_counted(
    archive: Path, unpacking: Unpacking
) -> None:
    # Z-04
    write(
        archive,
        {
            "__MACOSX/._policy.pdf": "x",
            "._policy.pdf": "x",
            ".DS_Store": "x",
            "Thumbs.db": "x",
            "sub/desktop.ini": "x",
            "~$policy.docx": "x",
            "sub/": "",
            "zero.txt": "",
            "policy.pdf": "the policy",
        },
    )
    found = list(unpacking.unpack(archive))
    assert texts(found) == {"policy.pdf": "the policy"}
    assert reasons(found) == {}
    assert unpacking.passed_over == 8


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_entries_of_one_name_are_two_files(archive: Path, unpacking: Unpacking) -> None:
    # Z-06
    write(archive, [("p.txt", "one"), ("p.txt", "two"), ("a/p.txt", "three"), ("p.txt", "four")])
    assert texts(list(unpacking.unpack(archive))) == {
        "p.txt": "one",
        "(2)/p.txt": "two",
        "a/p.txt": "three",
        "(3)/p.txt": "four",
    }


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("café.txt".encode(), "café.txt"),
        ("café.txt".encode("cp437"), "café.txt"),
        ("café.txt".encode("cp1252"), "café.txt"),
        ("parent’s guide – 2024.txt".encode("cp1252"), "parent’s guide – 2024.txt"),
        ("Übersicht Größe.txt".encode("cp850"), "Übersicht Größe.txt"),
        (b"plain.txt", "plain.txt"),
    ],
)
def test_a_name_without_the_utf8_flag_is_read_as_people_wrote_it(
    archive: Path, unpacking: Unpacking, raw: bytes, name: str
) -> None:
    # Z-05
    archive.write_bytes(named(raw))
    assert list(texts(list(unpacking.unpack(archive)))) == [name]


@given(st.binary(min_size=1, max_size=12))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_is_an_exception(archive: Path, inside: Path, raw: bytes) -> None:
    archive.write_bytes(named(b"n" + raw.replace(b"PK", b"pk")))
    for found in Unpacking(inside, SMALL).unpack(archive):
        assert "\n" not in found.name
        found.name.encode()


# ---- bombs (Z-01) ------------------------------------------------------------------------------


def test_an_archive_that_unpacks_to_too_much_is_stopped_with_flat_memory(
    archive: Path, unpacking: Unpacking
) -> None:
    piece = bytes(1_000_000)
    write(archive, {f"{number:03}.txt": piece for number in range(49)})
    unpacking.limits = replace(SMALL, max_total=40_000_000, free_bytes=10**9)
    tracemalloc.start()
    with pytest.raises(ArchiveRefusedError, match="unpacks to more"):
        list(unpacking.unpack(archive))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000
    assert sum(path.stat().st_size for path in unpacking.folder.iterdir()) <= 40_000_000


def test_too_many_entries_are_refused_before_any_is_written(
    archive: Path, unpacking: Unpacking
) -> None:
    write(archive, {f"{number}.txt": "x" for number in range(51)})
    with pytest.raises(ArchiveRefusedError, match="50 entries"):
        list(unpacking.unpack(archive))
    assert list(unpacking.folder.iterdir()) == []


def test_an_entry_that_is_all_repetition_is_refused_for_itself(
    archive: Path, unpacking: Unpacking
) -> None:
    write(archive, {"bomb.txt": bytes(900_000), "good.txt": "good"})
    found = list(unpacking.unpack(archive))
    assert texts(found) == {"good.txt": "good"}
    assert "bomb" in reasons(found)["bomb.txt"]


def test_an_honest_blank_picture_is_accepted(archive: Path, inside: Path) -> None:
    picture = bytes(11_000_000) + secrets.token_bytes(58_000)
    write(archive, {"blank.bmp": picture})
    assert 150 < len(picture) / archive.stat().st_size < 170
    assert reasons(list(Unpacking(inside, ArchiveLimits()).unpack(archive))) == {}


def test_an_entry_that_is_too_large_is_refused_for_itself(archive: Path, inside: Path) -> None:
    unpacking = Unpacking(inside, replace(SMALL, max_entry=1000, free_bytes=10**9))
    write(archive, {"large.txt": bytes(5000), "good.txt": "good"})
    found = list(unpacking.unpack(archive))
    assert texts(found) == {"good.txt": "good"}
    assert "larger" in reasons(found)["large.txt"]
    assert len(list(inside.iterdir())) == 1


def test_an_archive_that_is_too_large_is_not_opened(archive: Path, unpacking: Unpacking) -> None:
    archive.write_bytes(b"PK\x03\x04" + bytes(1_000_001))
    with pytest.raises(ArchiveRefusedError, match="MB allowed"):
        list(unpacking.unpack(archive))


def test_a_directory_of_millions_takes_no_memory(archive: Path, unpacking: Unpacking) -> None:
    record = b"PK\x01\x02" + bytes(42)
    count = 200_000
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 65535, 65535, count * 46, 0, 0)
    archive.write_bytes(record * count + end)
    tracemalloc.start()
    unpacking.limits = replace(SMALL, max_bytes=10**8)
    with pytest.raises(ArchiveRefusedError, match="more entries"):
        list(unpacking.unpack(archive))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


# ---- archives in archives (Z-07) -----------------------------------------------------------------


def _nest(depth: int) -> bytes:
    data = packed({"deep.txt": f"level {depth}"})
    for level in range(depth - 1, 0, -1):
        data = packed({"in.zip": data, "t.txt": f"level {level}"})
    return data


def test_archives_are_opened_three_deep_and_the_next_is_told(
    archive: Path, unpacking: Unpacking
) -> None:
    archive.write_bytes(_nest(5))
    found = list(unpacking.unpack(archive))
    assert texts(found) == {
        "t.txt": "level 1",
        "in.zip/t.txt": "level 2",
        "in.zip/in.zip/t.txt": "level 3",
    }
    assert "3 deep" in reasons(found)["in.zip/in.zip/in.zip"]


def test_archives_inside_share_the_budget_of_the_upload(
    archive: Path, unpacking: Unpacking
) -> None:
    bomb = packed({f"{number}.txt": bytes(99_000) for number in range(20)})
    write(archive, {f"{number}.zip": bomb for number in range(2)})
    with pytest.raises(ArchiveRefusedError, match="unpacks to more"):
        list(unpacking.unpack(archive))


def test_folders_above_an_inner_archive_count_and_its_name_does_not(
    archive: Path, unpacking: Unpacking
) -> None:
    write(archive, {"Transport/in.zip": packed({"Kent/a.txt": "A"})})
    (entry,) = unpacking.unpack(archive)
    assert isinstance(entry, Entry)
    assert (entry.name, entry.folders) == ("Transport/in.zip/Kent/a.txt", ("Transport", "Kent"))


def test_a_damaged_archive_inside_is_a_file_like_others(
    archive: Path, unpacking: Unpacking
) -> None:
    # its parser says that it is damaged
    write(archive, {"in.zip": packed({"a.txt": "A" * 1000})[:60], "b.txt": "B"})
    found = list(unpacking.unpack(archive))
    assert [entry.name for entry in found if isinstance(entry, Entry)] == ["in.zip", "b.txt"]


# ---- what is an archive ------------------------------------------------------------------------


def test_a_document_in_the_same_container_is_no_archive(archive: Path) -> None:
    archive.write_bytes(docx(para("text")))
    assert not is_archive(archive)
    write(archive, {"mimetype": "application/epub+zip", "META-INF/container.xml": "x"})
    assert not is_archive(archive)


def test_bytes_tell_an_archive_whatever_its_name(tmp_path: Path) -> None:
    assert is_archive(write(tmp_path / "files.pdf", {"a.txt": "A"}))
    plain = tmp_path / "files.zip"
    plain.write_text("no archive")
    assert not is_archive(plain)


def test_what_is_no_file_is_no_archive_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    for name in ("pipe.zip", "nowhere.zip", "."):
        assert not is_archive(tmp_path / name)


@pytest.mark.parametrize("cut", [10, 60, -10])
def test_a_cut_upload_is_one_clear_line(archive: Path, unpacking: Unpacking, cut: int) -> None:
    archive.write_bytes(packed({"a.txt": "A" * 1000, "b.txt": "B"})[:cut])
    assert is_archive(archive)
    with pytest.raises(ArchiveRefusedError, match="damaged or not whole"):
        list(unpacking.unpack(archive))


def test_a_flagged_name_that_is_no_utf8_is_one_clear_line(
    archive: Path, unpacking: Unpacking
) -> None:
    archive.write_bytes(altered(packed({"ab": "A"}), "ab", flags=0x800).replace(b"ab", b"\xff\xfe"))
    with pytest.raises(ArchiveRefusedError, match="damaged"):
        list(unpacking.unpack(archive))


@given(st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_byte_is_broken_the_answer_is_files_or_a_line(
    archive: Path, inside: Path, data: st.DataObject
) -> None:
    whole = bytearray(packed({"a.txt": "A" * 200, "n/b.txt": "B" * 200}))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    archive.write_bytes(bytes(whole))
    is_archive(archive)
    try:
        found = list(Unpacking(inside, SMALL).unpack(archive))
    except ArchiveRefusedError:
        return
    assert len(found) <= 50


def test_the_environment_sets_the_size(tmp_path: Path) -> None:
    limits = archive_limits_from({"PGKB_MAX_ZIP_MB": "10", "PGKB_MAX_FILE_MB": "3"})
    megabyte = 1024 * 1024
    assert (limits.max_bytes, limits.max_total, limits.max_entry) == (
        10 * megabyte,
        50 * megabyte,
        3 * megabyte,
    )
    with pytest.raises(IngestError):
        archive_limits_from({"PGKB_MAX_ZIP_MB": "many"})
