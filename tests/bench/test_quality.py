"""The gate: today's figures against the accepted ones, and the page that shows them."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import quality
from bench.__main__ import main
from bench.database import BenchError
from bench.evaluate import Way
from bench.quality_page import to_page
from bench.scratch import Options, scratch_pack
from tests.bench.judged_folders import write_pack


def figures(**changed: float) -> dict[str, Any]:
    """A set's figures, some of them changed."""
    usual = {"ndcg_10": 0.7, "recall_8": 0.8, "recall_50": 0.9, "mrr": 0.75, "forbidden_shown": 0}
    return {
        "questions": 5,
        "digest": "1",
        "ways": {"hybrid": {"all": {"questions": 5, **usual, **changed}}},
    }


@pytest.mark.parametrize("metric", ["ndcg_10", "recall_8", "recall_50", "mrr"])
def test_a_fall_of_more_than_the_margin_is_told_and_a_smaller_one_is_not(metric: str) -> None:
    accepted = {"x": figures()}
    old = accepted["x"]["ways"]["hybrid"]["all"][metric]
    assert quality.regressions(accepted, {"x": figures(**{metric: old - 0.01})}) == []
    assert quality.regressions(accepted, {"x": figures(**{metric: old + 0.2})}) == []
    assert quality.regressions(accepted, {"x": figures(**{metric: old - 0.0101})}) == [
        f"x, hybrid: {metric} fell from {old:.4f} to {old - 0.0101:.4f}"
    ]


def test_a_forbidden_document_other_questions_and_unknown_sets_are_told() -> None:
    accepted = {"x": figures(), "not measured today": figures()}
    (shown,) = quality.regressions(accepted, {"x": figures(forbidden_shown=1)})
    assert shown == "x, hybrid: 1 forbidden documents shown, must be 0"
    (changed,) = quality.regressions(accepted, {"x": figures() | {"digest": "2"}})
    assert "the questions changed" in changed
    (unknown,) = quality.regressions(accepted, {"y": figures()})
    assert "no figures were accepted" in unknown
    (gone,) = quality.regressions(accepted, {"x": figures() | {"ways": {}}})[:1]
    assert "missing" in gone


def test_the_page_shows_the_accepted_figures() -> None:
    accepted = quality.read_accepted()
    assert quality.PAGE.read_text(encoding="utf-8") == to_page(accepted)
    for name, each in accepted.items():
        for way, kinds in each["ways"].items():
            assert format(kinds["all"]["ndcg_10"], ".3f") in to_page({name: each}), way


def test_hybrid_is_no_worse_than_its_better_leg_on_any_set_and_better_on_average() -> None:
    means = dict.fromkeys(("vector", "keyword", "hybrid"), 0.0)
    accepted = quality.read_accepted()
    assert set(accepted) == {quality.PACK, *quality.COLLECTIONS}
    for name, each in accepted.items():
        found = {way: each["ways"][way]["all"]["ndcg_10"] for way in means}
        assert found["hybrid"] >= max(found["vector"], found["keyword"]) - 0.005, name
        means = {way: means[way] + found[way] for way in means}
    assert means["hybrid"] > max(means["vector"], means["keyword"])


def test_no_accepted_figure_shows_a_forbidden_document() -> None:
    pack = quality.read_accepted()[quality.PACK]
    assert {kinds["all"]["forbidden_shown"] for kinds in pack["ways"].values()} == {0}


def test_a_sabotaged_setting_fails_the_gate_and_the_defaults_pass_it(
    tmp_path: Path, server_url: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)
    pack = write_pack(tmp_path / "send")
    options = Options(vectors=tmp_path / "vectors", keep=False, say=lambda line: None)

    def only_the_tiny_pack(
        say: object, settings: dict[str, str]
    ) -> tuple[list[quality.Subject], list[str]]:
        ways = [Way("hybrid", "hybrid", settings)]
        return [
            quality.Subject("send", lambda: scratch_pack(pack, tmp_path / "built", options), ways)
        ], ["scifact"]

    monkeypatch.setattr(quality, "subjects", only_the_tiny_pack)
    monkeypatch.setattr(quality, "ACCEPTED", tmp_path / "quality.json")
    monkeypatch.setattr(quality, "PAGE", tmp_path / "quality.md")
    assert main(["quality", "--accept"]) == 0
    accepted = json.loads((tmp_path / "quality.json").read_text())
    assert accepted["send"]["ways"]["hybrid"]["all"]["ndcg_10"] == 1.0
    assert "| hybrid | 3 |" in (tmp_path / "quality.md").read_text()
    capsys.readouterr()
    assert main(["quality"]) == 0
    shown = capsys.readouterr()
    assert "as good as accepted" in shown.out
    assert "left out: scifact" in shown.err

    assert main(["quality", "--set", "kb.relevance_threshold=0.99"]) == 1
    assert "worse: send, hybrid: ndcg_10 fell from 1.0000" in capsys.readouterr().out
    assert main(["quality", "--accept", "--set", "kb.rrf_k=20"]) == 2


def test_accepted_figures_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "quality.json").write_text("{")
    with pytest.raises(BenchError, match="cannot be read"):
        quality.read_accepted(tmp_path / "quality.json")
    assert quality.read_accepted(tmp_path / "none.json") == {}
