"""`pgkb eval` and `pgkb tune`, from the folder to the table, with the real model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bench.scratch import NAME
from tests.bench.judged_folders import write_collection, write_pack
from tests.cli.command import Ended, pgkb_here

Run = Callable[..., Ended]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judged folder and a tiny pack; their vectors are kept beside them."""
    base = tmp_path_factory.mktemp("judged")
    write_collection(base / "tiny")
    write_pack(base / "pack")
    return base


@pytest.fixture
def run(folders: Path, db_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in that folder, with a database in use of the test's own."""
    monkeypatch.chdir(folders)
    return lambda *arguments: pgkb_here(*arguments, PGKB_DATABASE_URL=db_url)


def way(ended: Ended, name: str) -> dict[str, Any]:
    """The figures over all questions."""
    assert ended.code == 0, ended.err
    (found,) = [each for each in ended.json["ways"] if each["way"]["name"] == name]
    figures: dict[str, Any] = found["figures"][0]
    return figures


def test_a_folder_is_measured_in_every_mode_and_the_run_is_kept_and_compared(
    run: Run, db_url: str
) -> None:
    first = run("eval", "tiny", "--json")
    # vector, keyword, hybrid: every answer is among six documents
    for name in ("vector", "hybrid"):
        figures = way(first, name)
        assert figures["recall_50"] == 1.0, figures
        assert figures["questions"] == 4
    # q3 is answered by a title alone, q2 by a document whose text is there twice
    assert way(first, "keyword")["ndcg_10"] > 0.9
    assert any("repeat the text of another" in note for note in first.json["notes"])
    assert any("without title and text" in note for note in first.json["notes"])

    second = run("eval", "tiny", "--json")
    assert [each["previous"]["ndcg_10"] for each in second.json["ways"]] == [
        each["figures"][0]["ndcg_10"] for each in first.json["ways"]
    ]
    table = run("eval", "tiny", "--mode", "hybrid")
    assert "nDCG@10 +0.0000 since the last run" in table.out
    with psycopg.connect(db_url) as db:
        row = db.execute("select count(*) from eval.run where set_name = 'tiny'").fetchone()
        # the scratch database went, as nobody asked to keep it
        there = db.execute("select from pg_database where datname = %s", [NAME]).fetchone()
    assert row == (4 + 4 + 2,)
    assert there is None


def test_settings_limit_and_whole_documents_change_what_is_measured(run: Run) -> None:
    ended = run(
        "eval", "tiny", "--mode", "hybrid", "--whole", "--limit", "2",
        "--set", "kb.relevance_threshold=0.99", "--set", "kb.rare_share=0", "--json",
    )  # fmt: skip
    figures = way(ended, "hybrid as shipped")
    assert figures["questions"] == 2
    assert figures["recall_50"] < 1


def test_a_pack_is_measured_by_kind_and_failures_are_named_without_their_words(run: Run) -> None:
    ended = run(
        "eval", "--pack", "pack", "--failures", "--set", "kb.relevance_threshold=-1",
        "--set", "kb.retrieval_floor=-1",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    for kind in ("la-bias", "plain", "no-answer"):
        assert f"\n  {kind}" in ended.out
    # forbidden documents are out of scope whatever the floor is
    hybrid = next(line for line in ended.out.splitlines() if line.startswith("hybrid "))
    assert hybrid.split()[-1] == "0"
    # but nothing is an honest answer only while there is a floor
    assert "moon (no-answer): something was shown where nothing is right" in ended.out
    assert "how far" not in ended.out


def test_tune_marks_the_default_and_says_whether_another_is_better(run: Run) -> None:
    grid = ("--weights", "0.7,1", "--k", "60", "--candidates", "50")
    ended = run("tune", "tiny", "--seed", "4", *grid, "--json")
    assert ended.code == 0, ended.err
    tuned = ended.json
    assert tuned["tune_questions"] + tuned["held_out_questions"] == 4
    assert [point["is_default"] for point in tuned["points"]].count(True) == 1
    assert len(tuned["points"]) == 3
    best = [point["tune"]["ndcg_10"] for point in tuned["points"]]
    assert best == sorted(best, reverse=True)
    table = run("tune", "--pack", "pack", *grid)
    assert "default" in table.out
    assert "p = " in table.out


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["eval"], "name one corpus"),
        (["tune"], "name one corpus"),
        (["eval", "tiny", "--pack", "send"], "name one corpus"),
        (["eval", "nowhere"], "corpus.jsonl: No such file"),
        (["eval", "--pack", "nowhere"], 'there is no pack "nowhere"'),
        (["eval", "--pack", "send", "--whole"], "are for a DIR"),
        (["eval", "tiny", "--mode", "rerank"], "Give one of vector, keyword, hybrid"),
        (["eval", "tiny", "--set", "rrf_k=1"], "Write kb.NAME=VALUE"),
        (["eval", "tiny", "--set", "kb.rrf_k"], "Write kb.NAME=VALUE"),
        (["eval", "tiny", "--limit", "0"], "--limit"),
        (["tune", "tiny", "--weights", "0.3,many"], "Give numbers from 0 to 1"),
        (["tune", "tiny", "--k", "0"], "Give numbers from 1 to 1000"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(
    folders: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], about: str
) -> None:
    monkeypatch.chdir(folders)
    ended = pgkb_here(*arguments, PGKB_DATABASE_URL="postgresql://nobody@127.0.0.1:1/x")
    assert ended.code == 2
    assert about in ended.line()


def test_a_setting_that_does_not_exist_is_refused(run: Run) -> None:
    ended = run("eval", "tiny", "--mode", "keyword", "--set", "kb.no_such=1")
    assert ended.code == 2
    assert "there is no setting kb.no_such" in ended.err.splitlines()[-1]
