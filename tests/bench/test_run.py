"""One small run from end to end: what it measures, what it writes, and when it fails."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from bench import plots, report, targets
from bench.__main__ import main
from bench.bands import SHARES
from bench.clients import LEVELS
from bench.database import Connection
from bench.peers import NAMES, measure_peers
from bench.queries import BEFORE_ALL, UNUSED_TAG
from bench.results import Results
from bench.run import Options, run
from bench.stages import STAGES
from bench.targets import Smaller, Target

OPTIONS = Options(
    chunks=500, width=384, seed=3, questions_per_cell=1, new_chunks=40, client_seconds=0.2
)


@pytest.fixture(autouse=True)
def on_the_session_server(server_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)


@pytest.fixture(scope="module")
def results(server_url: str) -> Iterator[Results]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGKB_DATABASE_URL", server_url)
        # an interpreter without the peers: their packages and ours exclude each other
        patch.setenv("PGKB_BENCH_PEERS", sys.executable)
        yield run(OPTIONS, print)


@pytest.fixture
def found(results: Results) -> list[Target]:
    return targets.targets(results, None)


def by_key(found: list[Target]) -> dict[str, Target]:
    return {target.key: target for target in found}


def test_a_run_passes_and_lost_recall_or_written_index_pages_fail_it(results: Results) -> None:
    assert report.failures(results) == []
    forced = [replace(r, mean=0.9) if r.name == report.FORCED else r for r in results.recall]
    dirty = [replace(results.pages[0], vector_index_pages=3)]
    assert "recall@20" in report.failures(replace(results, recall=forced))[0]
    assert "3 pages" in report.failures(replace(results, pages=dirty))[0]


def test_the_exact_plan_of_a_small_corpus_misses_nothing_in_any_band(results: Results) -> None:
    assert {r.name: r.mean for r in results.recall}[targets.PLANNED] == 1.0
    assert {band.share for band in results.bands} == set(SHARES)
    assert {(band.mean, band.worst) for band in results.bands} == {(1.0, 1.0)}
    let_through = {band.share: band.let_through for band in results.bands if band.by == "place"}
    assert let_through[1.0] > 0.9
    assert 0.05 < let_through[0.1] < 0.15


def test_every_change_is_counted_in_pages_and_taken_back(results: Results) -> None:
    assert [(w.change, bool(w.by_relation)) for w in results.pages] == [
        ("status", True), ("tags", True), ("supersede", True),
    ]  # fmt: skip
    assert [w.vector_index_pages for w in results.pages] == [0, 0, 0]
    superseded = results.pages[2].by_relation or {}
    assert superseded[f"embedding.vector_{results.load.set_id}"] > 0


def test_new_documents_arrive_whole_through_the_real_ingest(results: Results) -> None:
    # chunk_text breaks at sentences, so it cuts smaller than the generator
    assert OPTIONS.new_chunks <= results.ingest.chunks < 2 * OPTIONS.new_chunks
    assert results.ingest.per_second > 0


def test_the_share_of_every_stage_of_an_ingest_is_told_for_every_kind_of_file(
    results: Results, found: list[Target]
) -> None:
    assert [cost.kind for cost in results.stages] == ["txt", "html", "docx", "pdf"]
    for cost in results.stages:
        assert cost.chunks >= cost.documents > 0
        assert set(cost.seconds) == set(STAGES)
        assert all(seconds > 0 for seconds in cost.seconds.values())
    page = report.to_table(results, found, {})
    assert all(f"| as {cost.kind} " in page for cost in results.stages)


def test_clients_and_upkeep_are_measured_and_what_cannot_be_says_why(results: Results) -> None:
    assert [level.clients for level in results.throughput] == list(LEVELS)
    assert all(level.searches > 0 for level in results.throughput)
    assert 0 < results.vacuum.share < 0.15
    assert results.vacuum.upkeep_seconds > 0
    assert results.cold_start.first is None
    assert "not restarted" in results.cold_start.reason


def test_the_same_questions_are_asked_over_http(results: Results) -> None:
    assert results.http.questions > 0
    assert results.http.http_p50 > results.http.sql_p50 > 0
    assert results.http.overhead_p50 > 0


def test_a_filter_that_nothing_meets_is_timed_beside_the_same_question(results: Results) -> None:
    names = [timing.name for timing in results.latency.without_answer]
    assert names == ["unanswerable", UNUSED_TAG, BEFORE_ALL, "the same, without the filter"]


def test_the_page_shows_every_target_and_the_reason_of_a_miss(
    results: Results, found: list[Target]
) -> None:
    missed = next(target for target in found if target.met is False)
    page = report.to_table(results, found, {missed.key: "the corpus is too small"})
    assert all(f"| {target.name} " in page for target in found)
    assert f"- {missed.name}: the corpus is too small" in page
    assert all(f"{name} failed: ModuleNotFoundError" in page for name in NAMES)
    assert by_key(found)["ingest"].met is None


def test_the_page_of_the_docs_names_the_command_that_makes_it(
    results: Results, found: list[Target]
) -> None:
    page = report.to_page(report.to_table(results, found, {}), "python -m bench --chunks 500")
    assert "```\npython -m bench --chunks 500\n```" in page
    assert [line for line in page.splitlines() if line.startswith("# ")] == [
        "# How fast, how complete, how large"
    ]
    assert "## pgkb bench: 500 chunks x 384 dimensions, seed 3" in page


def test_peers_that_are_not_installed_are_a_line_of_the_page(
    results: Results, found: list[Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGKB_BENCH_PEERS", "/nonexistent/python")
    nobody = measure_peers(cast(Connection, None), "", [], set_id=1, width=384, most_chunks=1)
    page = report.to_table(replace(results, peers=nobody), found, {})
    assert "peers: not installed: make peers" in page


def test_a_goal_is_met_from_its_own_value_on() -> None:
    most = Target(key="k", name="n", value=2.5, goal=2.5, at_least=False)
    assert most.met is True
    assert replace(most, value=2.51).met is False
    assert replace(most, at_least=True, value=2.49).met is False
    assert replace(most, value=None).met is None


def test_every_reason_belongs_to_a_target(found: list[Target]) -> None:
    assert targets.reasons().keys() <= by_key(found).keys()


def test_growth_is_measured_against_the_next_smaller_run_of_the_same_width(
    results: Results, found: list[Target], tmp_path: Path
) -> None:
    for chunks, width in ((25, 384), (50, 384), (100, 384), (250, 384), (50, 1536)):
        smaller = replace(results, chunks=chunks, width=width)
        report.write(tmp_path / f"{chunks}x{width}.json", report.to_json(smaller, found))
    against = targets.next_smaller(tmp_path, results)
    p95 = results.latency.total[0].p95
    assert against == Smaller(100, p95)
    growth = by_key(targets.targets(results, against))["growth"]
    assert (growth.value, growth.met) == (1.0, True)
    assert targets.next_smaller(tmp_path / "none", results) is None


def test_what_is_written_reads_back_and_leaves_nothing_else(
    results: Results, found: list[Target], tmp_path: Path
) -> None:
    written = tmp_path / "new" / "500x384.json"
    report.write(written, report.to_json(results, found))
    stored = json.loads(written.read_text())
    assert stored["ok"] is True
    assert stored["targets"].keys() == by_key(found).keys()
    assert [path.name for path in written.parent.iterdir()] == ["500x384.json"]


def test_plots_are_drawn_without_a_screen(
    results: Results, found: list[Target], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    said = plots.draw(results, found, tmp_path, "500x384")
    drawn = sorted(tmp_path.iterdir())
    assert [path.name for path in drawn] == sorted(f"500x384-{p}.png" for p in plots.PARTS)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)
    assert said.count(".png") == len(plots.PARTS)


def test_a_run_without_the_plotting_library_says_so(
    results: Results, found: list[Target], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "not installed" in plots.draw(results, found, tmp_path, "500x384")


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
