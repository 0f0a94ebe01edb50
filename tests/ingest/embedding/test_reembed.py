"""A fill loses nothing and embeds nothing twice, whoever dies and whatever the provider does."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from ingest import worker
from ingest.embedding import filling, reembed
from ingest.embedding.filling import Filler, Pace
from ingest.embedding.reembed import NewSet, Step
from ingest.errors import IngestError
from ingest.settings import Settings
from providers.embed import embedder_for
from providers.protocols import ProviderError
from tests.corpus import add
from tests.ingest.library import load, one, wait_for, words, write_texts
from tests.providers.fake_openai import FakeServer, Faults, fake_openai

ROOT = Path(__file__).resolve().parents[3]
WIDE = NewSet(name="wide", provider="compatible", model="fake-wide", width=64)


@pytest.fixture
def wide_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """The provider of the set that is filled; the environment leads to it."""
    with fake_openai() as server:
        monkeypatch.setenv("PGKB_EMBED_BASE_URL", server.url)
        monkeypatch.setenv("PGKB_EMBED_SEND_DIMENSIONS", "1")
        monkeypatch.setenv("PGKB_EMBED_ATTEMPTS", "1")
        monkeypatch.setattr(filling, "_FIRST_WAIT", 0.01)
        yield server


@pytest.fixture
def corpus(places: psycopg.Connection, wide_server: FakeServer) -> psycopg.Connection:
    """Forty published chunks or so, in the active set."""
    for name in ("apples", "pears", "plums", "figs"):
        add(places, words(name, 30), source=name)
    assert one(places, "select count(*) from search.text_index") > 40
    places.rollback()
    # an index is built concurrently when no transaction of a test is left open
    places.autocommit = True
    return places


def lacking(db: psycopg.Connection, name: str = "wide") -> int:
    """How many chunks lack their vector in a set."""
    count: int = one(
        db,
        "select count(*) from corpus.chunk as c where not exists (select from embedding.vector as v"
        " join embedding.set as s using (set_id) where s.name = %s and v.chunk_id = c.chunk_id)",
        name,
    )
    return count


def sent(server: FakeServer) -> Counter[str]:
    """How often each text was sent, the probes left out."""
    return Counter(text for text in server.texts if text != "pgkb")


def active(db: psycopg.Connection) -> str:
    name: str = one(db, "select name from embedding.active_set()")
    return name


@pytest.fixture
def command(url: str, corpus: psycopg.Connection) -> Callable[..., subprocess.Popen[bytes]]:
    """Start `pgkb reembed` for the wide set as a process of its own."""
    assert corpus

    def start(*options: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "cli.main", "reembed", "--set", "wide", "--provider",
             "compatible", "--model", "fake-wide", "--width", "64", *options],
            cwd=ROOT,
            env={**os.environ, "PGKB_DATABASE_URL": url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip

    return start


def test_a_set_is_filled_indexed_and_switched_to(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    steps: list[Step] = []
    chunks = lacking(corpus)
    report = reembed.reembed(url, "wide", new=WIDE, pace=Pace(batch=7), on_step=steps.append)
    assert report.embedded == chunks
    assert report.switched
    assert report.previous == "local-minilm"
    assert report.indexes_built == [
        "vector_3_local_0_idx",
        "vector_3_local_1_idx",
        "vector_3_national_idx",
    ]
    assert active(corpus) == "wide"
    assert lacking(corpus) == 0
    assert set(sent(wide_server).values()) == {1}
    filled = [step.done for step in steps if step.step == "filling"]
    assert filled == sorted(filled)
    assert filled[-1] == chunks
    assert [step.step for step in steps[-2:]] == ["indexing", "switching"]
    again = reembed.reembed(url, "wide")
    assert (again.embedded, again.switched, again.indexes_built) == (0, False, [])


def test_an_empty_set_loses_its_index_for_the_fill_and_a_broken_one_is_built_anew(
    corpus: psycopg.Connection, url: str
) -> None:
    corpus.execute("update embedding.set set provider = 'compatible', width = 64 where set_id = 2")
    corpus.execute("alter table embedding.vector_2 drop constraint vector_2_width")
    had_index: list[bool] = []

    def look(step: Step) -> None:
        if step.step == "filling":
            with psycopg.connect(url) as db:
                had_index.append(one(db, "select to_regclass('embedding.vector_2_local_0_idx')"))

    report = reembed.reembed(url, "openai-3-large", switch=False, on_step=look)
    assert not any(had_index)
    assert report.indexes_built == [
        "vector_2_local_0_idx",
        "vector_2_local_1_idx",
        "vector_2_national_idx",
    ]
    corpus.execute(
        "update pg_index set indisvalid = false"
        " where indexrelid = 'embedding.vector_2_local_0_idx'::regclass"
    )
    assert reembed.reembed(url, "openai-3-large").indexes_built == ["vector_2_local_0_idx"]
    assert active(corpus) == "openai-3-large"


def test_a_killed_fill_goes_on_where_it_was(
    corpus: psycopg.Connection,
    url: str,
    wide_server: FakeServer,
    command: Callable[..., subprocess.Popen[bytes]],
) -> None:
    wide_server.faults = Faults(delay=0.15)
    killed = command("--batch", "4")
    wait_for(lambda: len(wide_server.calls) >= 5)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=30)
    assert 0 < lacking(corpus) < one(corpus, "select count(*) from corpus.chunk")
    assert active(corpus) == "local-minilm"
    wide_server.faults = Faults()
    reembed.reembed(url, "wide", pace=Pace(batch=4))
    assert lacking(corpus) == 0
    assert active(corpus) == "wide"
    twice = [text for text, times in sent(wide_server).items() if times > 1]
    assert len(twice) <= 4, "no more than the batch in flight"
    assert max(sent(wide_server).values()) == 2


def test_ctrl_c_gives_back_what_was_held(
    corpus: psycopg.Connection,
    wide_server: FakeServer,
    command: Callable[..., subprocess.Popen[bytes]],
) -> None:
    wide_server.faults = Faults(delay=0.15)
    interrupted = command("--batch", "4")
    wait_for(lambda: len(wide_server.calls) >= 4)
    interrupted.send_signal(signal.SIGINT)
    out, err = interrupted.communicate(timeout=30)
    assert interrupted.returncode == 130, err
    assert (out, err) == (b"", b"")
    assert active(corpus) == "local-minilm"
    left = lacking(corpus)
    assert left > 0
    rows = corpus.execute("select count(*) from embedding.claim_chunks('wide', 1000)").fetchone()
    assert rows == (left,)


def test_two_workers_do_not_embed_the_same_chunk(
    corpus: psycopg.Connection,
    wide_server: FakeServer,
    command: Callable[..., subprocess.Popen[bytes]],
) -> None:
    wide_server.faults = Faults(delay=0.05)
    both = [command("--batch", "3", "--concurrency", "2") for _ in range(2)]
    ended = [each.communicate(timeout=60) for each in both]
    assert [each.returncode for each in both] == [0, 0], ended
    assert lacking(corpus) == 0
    assert active(corpus) == "wide"
    assert set(sent(wide_server).values()) == {1}


def test_a_provider_that_is_busy_or_down_for_a_moment_is_asked_again(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    wide_server.faults = Faults(
        rate_limit_calls=frozenset([3, 4]), fail_calls=frozenset([7]), retry_after_ms="20"
    )
    report = reembed.reembed(url, "wide", new=WIDE, pace=Pace(batch=4))
    assert report.failed == 0
    assert lacking(corpus) == 0


def test_a_provider_that_stays_down_ends_the_fill_and_keeps_what_is_done(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    wide_server.faults = Faults(fail_calls=frozenset(range(4, 1000)), retry_after_ms="1")
    chunks = lacking(corpus)
    with pytest.raises(ProviderError):
        reembed.reembed(url, "wide", new=WIDE, pace=Pace(batch=4))
    assert lacking(corpus) == chunks - 8
    assert one(corpus, "select count(*) from embedding.wanted_vector where failed") == 0
    wide_server.faults = Faults()
    reembed.reembed(url, "wide")
    assert set(sent(wide_server).values()) >= {1}
    assert active(corpus) == "wide"


def test_what_was_answered_before_a_failure_is_not_sent_again(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    """E-04: a batch of 64 makes two requests; after the probe and the first of them one fails."""
    wide_server.faults = Faults(fail_calls=frozenset({3}))
    chunks = lacking(corpus)
    assert chunks > 32
    reembed.reembed(url, "wide", new=WIDE, pace=Pace(batch=64))
    assert lacking(corpus) == 0
    failed = wide_server.calls[2].texts
    assert len(wide_server.calls[1].texts) == 32
    assert len(failed) == min(32, chunks - 32)
    times = sent(wide_server)
    assert {times[text] for text in failed} == {2}
    assert {count for text, count in times.items() if text not in failed} == {1}


def test_a_key_that_is_refused_is_told_before_anything_is_begun(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    wide_server.faults = Faults(echo_key=True)
    with pytest.raises(ProviderError, match="key"):
        reembed.reembed(url, "wide", new=WIDE)
    assert one(corpus, "select state from embedding.set where name = 'wide'") == "idle"


def test_a_text_that_is_refused_stops_no_other_and_the_switch_says_how_many(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    wide_server.faults = Faults(bad_item="paragraph 17 write")
    with pytest.raises(IngestError, match=r"lacks the vectors of [0-9]+ chunks.*refused"):
        reembed.reembed(url, "wide", new=WIDE, pace=Pace(batch=16))
    left = lacking(corpus)
    assert 4 <= left <= 8
    assert one(corpus, "select failed from embedding.fill_progress where name = 'wide'") == left
    assert active(corpus) == "local-minilm"
    wide_server.faults = Faults()
    assert reembed.reembed(url, "wide").embedded == left
    assert active(corpus) == "wide"


def test_a_service_that_refuses_everything_is_not_the_texts_fault(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    def spoil(step: Step) -> None:
        if step.step == "filling":
            wide_server.faults = Faults(nan=True)

    with pytest.raises(ProviderError, match="not finite"):
        reembed.reembed(url, "wide", new=WIDE, on_step=spoil)
    assert one(corpus, "select count(*) from embedding.wanted_vector where failed") < 25


def test_a_lost_connection_is_made_again(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    cut: list[int] = []

    def cut_once(step: Step) -> None:
        if step.done > 8 and not cut:
            cut.append(step.done)
            with psycopg.connect(url, autocommit=True) as db:
                db.execute(
                    "select pg_terminate_backend(a.pid) from pg_stat_activity as a"
                    " join embedding.wanted_vector as w on a.pid = w.holder_pid"
                )

    reembed.reembed(url, "wide", new=WIDE, pace=Pace(batch=4, concurrency=2), on_step=cut_once)
    assert cut
    assert lacking(corpus) == 0
    assert max(sent(wide_server).values()) <= 2


def test_no_transaction_is_open_while_the_provider_is_asked(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    states: list[tuple[str, ...]] = []

    class Watched:
        """An embedder that looks at the connections of its caller."""

        name, model, width = "compatible", "fake-wide", 64

        def embed(self, texts: list[str]) -> list[list[float]]:
            with psycopg.connect(url) as db:
                states.append(
                    one(
                        db,
                        "select array_agg(state order by state) from pg_stat_activity"
                        " where application_name = 'pgkb ingest'",
                    )
                )
            return [[1.0] + [0.0] * 63 for _ in texts]

    reembed.reembed(url, "wide", new=WIDE, pace=Pace(batch=16), embedder=Watched())  # type: ignore[arg-type]
    assert len(states) > 3
    assert {state for seen in states for state in seen} == {"idle"}


def test_no_more_chunks_a_second_than_asked(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    chunks = lacking(corpus)
    report = reembed.reembed(
        url, "wide", new=WIDE, pace=Pace(batch=5, per_second=60, concurrency=3)
    )
    # the last batch is not waited for
    assert report.seconds >= (chunks - 5 * 3) / 60


@pytest.mark.parametrize(
    "pace", [Pace(batch=0), Pace(batch=2049), Pace(per_second=0), Pace(concurrency=0)]
)
def test_a_pace_that_cannot_be_is_refused(url: str, pace: Pace) -> None:
    with pytest.raises(IngestError):
        reembed.reembed(url, "wide", new=WIDE, pace=pace)


def test_a_look_beforehand_keeps_nothing(corpus: psycopg.Connection, url: str) -> None:
    found = reembed.estimate(url, "wide", new=WIDE)
    assert found.chunks == found.texts == lacking(corpus)
    assert found.characters > 10_000
    assert one(corpus, "select count(*) from embedding.set") == 2
    assert one(corpus, "select count(*) from embedding.wanted_vector") == 0


def test_a_worker_keeps_up_the_set_that_was_switched_away_from(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer, folder: Path
) -> None:
    corpus.execute("update embedding.set set provider = 'compatible' where active")
    reembed.reembed(url, "wide", new=WIDE)
    wide = embedder_for("compatible", "fake-wide", 64)
    load(url, write_texts(folder, late=words("quinces")), wide)
    wide.close()
    assert lacking(corpus, "local-minilm") > 0
    worker.run(url, once=True, settings=Settings(poll_seconds=0.2))
    assert lacking(corpus, "local-minilm") == 0
    reembed.switch_to(url, reembed.previous(url))
    assert active(corpus) == "local-minilm"


def test_a_worker_whose_other_provider_is_missing_still_publishes(
    corpus: psycopg.Connection,
    url: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    corpus.execute("update embedding.set set provider = 'openai' where active")
    reembed.reembed(url, "wide", new=WIDE)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    wide = embedder_for("compatible", "fake-wide", 64)
    load(url, write_texts(folder, late=words("quinces")), wide)
    wide.close()
    assert worker.run(url, once=True, settings=Settings(poll_seconds=0.2)) == 0
    assert "OPENAI_API_KEY" in caplog.text


def test_a_fill_that_is_told_to_stop_ends_after_its_batch(
    corpus: psycopg.Connection, url: str, wide_server: FakeServer
) -> None:
    reembed.estimate(url, "wide", new=WIDE)
    corpus.execute("select embedding.add_set('wide', 'compatible', 'fake-wide', 64)")
    corpus.execute("select embedding.start_fill('wide')")
    stop = threading.Event()
    embedder = embedder_for("compatible", "fake-wide", 64)
    filler = Filler(
        url,
        set_name="wide",
        embedder=embedder,
        pace=Pace(batch=4),
        stop=stop,
        on_stored=lambda count: stop.set(),
    )
    assert filler.run() == 4
    embedder.close()
    assert len(wide_server.calls) == 1


def test_a_set_is_stopped_and_dropped(corpus: psycopg.Connection, url: str) -> None:
    reembed.reembed(url, "wide", new=WIDE, switch=False)
    with pytest.raises(psycopg.Error, match="active"):
        reembed.drop(url, "local-minilm")
    reembed.stop(url, "wide")
    assert one(corpus, "select state from embedding.set where name = 'wide'") == "idle"
    reembed.drop(url, "wide")
    assert {row.name for row in reembed.progress(url)} == {"local-minilm", "openai-3-large"}
