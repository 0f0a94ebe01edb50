"""The bench of churn: a small one from end to end, and when it fails."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import churn
from bench.__main__ import main


def test_upkeep_keeps_recall_while_a_corpus_is_replaced(
    server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)
    written = tmp_path / "churn.json"
    small = ("--chunks", "500", "--rounds", "2", "--share", "0.4", "--questions", "20")
    assert main(["churn", *small, "--json", str(written)]) == 0
    stored = json.loads(written.read_text())
    assert stored["lost"] <= churn.MOST_LOST
    first, second = stored["rounds"]
    assert first["replaced"] >= 0.4 * 500
    assert first["dead_rows"] >= first["replaced"]
    # national text and both halves of all other
    assert (first["rebuilt"], second["rebuilt"]) == (3, 3)
    assert "lost at worst" in capsys.readouterr().out


def test_more_than_a_point_lost_after_upkeep_is_a_miss() -> None:
    fine = churn.Round(
        number=1, replaced=1, churned=0.9, kept_up=0.985, worst=0.5, dead_rows=1, rebuilt=0,
        vacuumed=1, upkeep_seconds=0.1,
    )  # fmt: skip
    found = churn.Churn(
        chunks=10, width=384, share=0.1, questions=1, before=0.99,
        rounds=[fine, replace(fine, kept_up=0.979)],
    )  # fmt: skip
    assert found.lost == pytest.approx(1.1)
    assert "MISSED" in churn.to_table(found)
