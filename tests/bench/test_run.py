"""One small run from end to end: what it writes, and when it fails."""

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from bench import report
from bench.__main__ import main, run


@pytest.fixture(autouse=True)
def on_the_session_server(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)


def test_a_run_passes_and_lost_recall_or_written_index_pages_fail_it(tmp_path: Path) -> None:
    options = Namespace(chunks=500, width=384, seed=3, questions_per_cell=1, keep=False)
    results = run(options)
    assert report.failures(results) == []
    assert {r.name: r.mean for r in results.recall}["vector leg as planned"] == 1.0

    written = tmp_path / "new" / "bench.json"
    report.write_json(results, written)
    stored = json.loads(written.read_text())
    assert stored["ok"] is True
    assert stored["ratios"].keys() == {ratio.name for ratio in report.ratios(results)}
    assert [path.name for path in written.parent.iterdir()] == ["bench.json"]
    assert "search_kb p95 / bare HNSW p95" in report.to_table(results)

    forced = [replace(r, mean=0.9) if r.name == report.FORCED else r for r in results.recall]
    dirty = [replace(results.pages[0], vector_index_pages=3)]
    assert "recall@20" in report.failures(replace(results, recall=forced))[0]
    assert "3 pages" in report.failures(replace(results, pages=dirty))[0]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://nobody@127.0.0.1:1/x", "cannot be reached"),
        ("no url at all", "cannot be read"),
    ],
)
def test_a_server_that_cannot_be_used_is_one_line(
    url: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PGKB_DATABASE_URL", url)
    assert main(["--chunks", "500"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
