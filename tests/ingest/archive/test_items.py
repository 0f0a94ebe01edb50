"""An archive among files: each file in it has its result, its folders are its tags."""

import zipfile
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ingest.items import FileResult, Item, Progress
from ingest.load import load_paths
from providers.protocols import Embedder
from tests.ingest.archive.packing import packed, write
from tests.ingest.library import KENT, load, one, statuses, visible, words, write_texts


def _bundle(path: Path) -> Path:
    return write(
        path,
        {
            "Transport/taxis.txt": words("taxis"),
            "2 Exclusion/Old papers/rules.txt": words("rules"),
            "Old papers/scan.png": b"\x89PNG\r\n\x1a\n" + bytes(50),
            "again.txt": words("taxis"),
            "__MACOSX/._x": "x",
            "../out.txt": words("out"),
        },
    )


def _result(results: list[FileResult], source: str) -> FileResult:
    (found,) = (result for result in results if result.source == source)
    return found


def test_each_file_has_a_result_and_good_ones_are_stored(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    results = load(url, [Item(path=_bundle(folder / "b.zip"), la_code=KENT)], embedder)
    assert statuses(results) == {
        "b.zip": "unpacked",
        "b.zip/../out.txt": "refused",
        "b.zip/Transport/taxis.txt": "stored",
        "b.zip/2 Exclusion/Old papers/rules.txt": "stored",
        "b.zip/Old papers/scan.png": "refused",
        "b.zip/again.txt": "duplicate",
    }
    assert "PNG" in (_result(results, "b.zip/Old papers/scan.png").reason or "")
    assert all(result.path == Path(result.source) for result in results[1:])
    assert len(visible(places)) == 2


def test_folders_that_are_topics_become_tags_and_others_are_told_not_stored(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    item = Item(path=_bundle(folder / "b.zip"), tags=("transport",))
    results = load(url, [item], embedder)
    tags: dict[str, Any] = dict(
        places.execute(
            "select d.source, v.tags from corpus.version as v"
            " join corpus.document as d using (document_id)"
        ).fetchall()
    )
    assert tags == {
        "b.zip/Transport/taxis.txt": ["transport"],
        "b.zip/2 Exclusion/Old papers/rules.txt": ["exclusion", "transport"],
    }
    reason = _result(results, "b.zip").reason
    assert reason == (
        "5 files; passed over 1 entries that are folders, empty or side files; "
        "no topic is named like the folders Old papers"
    )


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_equal_names_and_titles_in_an_archive_replace_nothing(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    # Z-06
    path = write(
        folder / "b.zip",
        [
            ("north/transport plan.txt", words("north")),
            ("south/transport plan.txt", words("south")),
            ("south/transport plan.txt", words("far south")),
        ],
    )
    load(url, [Item(path=path)], embedder)
    assert [row["source"] for row in visible(places)] == [
        "b.zip/north/transport plan.txt",
        "b.zip/south/(2)/transport plan.txt",
        "b.zip/south/transport plan.txt",
    ]


def test_the_same_archive_again_changes_nothing(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    path = _bundle(folder / "b.zip")
    load(url, [Item(path=path)], embedder)
    again = statuses(load(url, [Item(path=path)], embedder))
    assert again["b.zip/Transport/taxis.txt"] == "unchanged"
    assert again["b.zip/2 Exclusion/Old papers/rules.txt"] == "unchanged"
    assert one(places, "select count(*) from corpus.version") == 2


def test_an_archive_of_which_nothing_is_taken_is_one_line_and_stops_no_file(
    url: str, embedder: Embedder, folder: Path
) -> None:
    cut = folder / "cut.zip"
    cut.write_bytes(packed({"a.txt": words("a")})[:50])
    write(folder / "empty.zip", {"__MACOSX/x": "x"})
    items = [
        Item(path=cut),
        Item(path=folder / "empty.zip"),
        Item(path=folder / "titled.zip", title="One title"),
        Item(path=folder / "gone.zip"),
        *write_texts(folder, good=words("good")),
    ]
    write(folder / "titled.zip", {"a.txt": "A"})
    results = load(url, items, embedder)
    assert statuses(results) == {
        "cut.zip": "refused",
        "empty.zip": "refused",
        "titled.zip": "refused",
        "gone.zip": "refused",
        "good.txt": "stored",
    }
    assert all(result.reason for result in results if result.status == "refused")


def test_progress_counts_the_files_of_an_archive_under_their_names(
    url: str, embedder: Embedder, folder: Path
) -> None:
    told: list[Progress] = []
    path = write(folder / "b.zip", {"n/a.txt": words("a"), "n/b.txt": words("b")})
    list(load_paths(url, [Item(path=path)], embedder=embedder, on_progress=told.append))
    assert {progress.files for progress in told} == {2}
    assert {progress.path.name for progress in told} == {"a.txt", "b.txt"}


def test_nothing_is_left_on_the_disk(
    url: str,
    embedder: Embedder,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    path = write(folder / "b.zip", {f"{n}.txt": words(f"subject {n}") for n in range(3)})
    started = load_paths(url, [Item(path=path)], embedder=embedder)
    next(iter(started))
    assert list(place.glob("pgkb-zip-*"))
    started.close()
    assert not list(place.glob("pgkb-zip-*"))
    assert zipfile.is_zipfile(path)
