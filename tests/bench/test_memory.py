"""The bench of memory: a small archive from end to end, and when it fails."""

from pathlib import Path

import pytest

from bench import memory
from bench.__main__ import main


def test_an_ingest_in_a_process_of_its_own_is_watched_with_its_parser(
    server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)
    monkeypatch.setattr(memory, "LONG_PARAGRAPHS", 20)
    given = tmp_path / "given.txt"
    given.write_text("A short text of somebody's own. " * 20)
    assert main(["memory", str(given), "--zip-mb", "2"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in table[2:]] == [
        "given.txt", "long.docx", "pictures.zip",
    ]  # fmt: skip
    peaks = [int(line.split(" | ")[3]) for line in table[2:]]
    # an interpreter with its libraries, and another that parses
    assert all(60 < peak < memory.MOST_MEMORY for peak in peaks)


def test_more_than_the_goal_is_a_miss() -> None:
    peaks = [memory.Peak("a.zip", 1, 1.0, peak * 2**20) for peak in (500, 501)]
    table = memory.to_table(peaks)
    assert table.count("met") == 1
    assert "MISSED, goal 500" in table


def test_a_file_that_is_refused_ends_the_bench_with_its_reason(
    server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)
    monkeypatch.setattr(memory, "LONG_PARAGRAPHS", 20)
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    assert main(["memory", str(empty), "--zip-mb", "2"]) == 2
    said = capfd.readouterr().err
    assert "empty.txt: refused" in said
    assert "empty.txt was not ingested" in said
