"""The bench of growth: two small sizes from end to end, and when it fails."""

import json
from pathlib import Path

import psycopg
import pytest

from bench import growth
from bench.__main__ import main
from bench.load import LoadReport
from bench.measure import timing_of
from tests.rows import value_of

_LAST_VACUUM = "select last_vacuum from pg_stat_user_tables where relname = 'text_index'"


def test_sizes_are_loaded_side_by_side_and_asked_in_turn(
    server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)
    monkeypatch.setattr(growth, "MOST_GROWTH", 1000.0)
    written = tmp_path / "growth.json"
    small = ("--sizes", "1500", "500", "--width", "384", "--questions-per-cell", "1")
    page = tmp_path / "growth.md"
    assert main(["growth", *small, "--json", str(written), "--page", str(page)]) == 0
    stored = json.loads(written.read_text())
    assert [size["chunks"] for size in stored["sizes"]] == [500, 1500]
    for size in stored["sizes"]:
        assert size["timings"]["search_kb"]["questions"] == 20
        assert size["recall"] >= 0.95
    assert len(stored["steps"]) == 1
    assert "python -m bench growth --sizes 500 1500 --width 384" in page.read_text()
    assert "1,500" in capsys.readouterr().out
    with psycopg.connect(server_url) as db:
        left = db.execute("select datname from pg_database where datname like '%growth%'")
        assert left.fetchall() == []


def test_kept_sizes_are_asked_again_and_not_loaded_again(
    server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)
    monkeypatch.setattr(growth, "MOST_GROWTH", 1000.0)
    small = ("--sizes", "500", "600", "--width", "384", "--questions-per-cell", "1")
    written = ("--json", str(tmp_path / "growth.json"))
    asked = ["growth", *small, *written]
    try:
        assert main([*asked, "--keep"]) == 0
        assert "loading 500 chunks" in capsys.readouterr().err
        kept = server_url.rsplit("/", 1)[0] + "/pgkb_bench_growth_600_384_1"
        with psycopg.connect(kept) as db:
            # as a run leaves it that was killed before its end, or one of another version
            db.execute("drop index embedding.vector_1_local_0_idx")
            before = value_of(db, _LAST_VACUUM)
        assert main([*asked, "--keep"]) == 0
        said = capsys.readouterr().err
        assert "500 chunks of 384 dimensions are loaded" in said
        assert "loading" not in said
        with psycopg.connect(kept) as db:
            assert value_of(db, "select to_regclass('embedding.vector_1_local_0_idx') is not null")
            assert value_of(db, _LAST_VACUUM) > before
            db.execute("delete from corpus.chunk where chunk_id <= 100")
        assert main([*asked, "--keep"]) == 2
        assert "holds 500 chunks; run without --keep" in capsys.readouterr().err
    finally:
        # without it they are loaded anew, and dropped at the end
        assert main(asked) == 0
    assert "loading 600 chunks" in capsys.readouterr().err
    with psycopg.connect(server_url) as db:
        left = db.execute("select datname from pg_database where datname like '%growth%'")
        assert left.fetchall() == []


def test_a_step_of_more_than_twice_is_a_miss() -> None:
    report = LoadReport(
        set_id=1, documents=1, chunks=1, seconds=1, chunks_per_second=1,
        text_index_seconds=1, vector_index_seconds=1,
    )  # fmt: skip
    sizes = [
        growth.Size(
            chunks=chunks,
            timings={
                name: timing_of(name, [spent])
                for name in ("search_kb", "vector leg", "keyword leg")
            },
            recall=1.0, worst_recall=1.0, index_bytes=1, load=report,
        )
        for chunks, spent in ((10, 5.0), (100, 10.0), (1000, 21.0))
    ]  # fmt: skip
    found = growth.Growth(width=384, seed=1, sizes=sizes)
    assert found.steps == pytest.approx([2.0, 2.1])
    table = growth.to_table(found)
    assert "2.00 met" in table
    assert "2.10 MISSED" in table


@pytest.mark.parametrize("sizes", [("500",), ("500", "500"), ("20", "500")])
def test_growth_needs_two_sizes_of_a_corpus(
    sizes: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["growth", "--sizes", *sizes]) == 2
    assert "two sizes or more" in capsys.readouterr().err
