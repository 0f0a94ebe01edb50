"""queue.take_turn and queue.set_rate: all workers together keep to what a provider allows."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused


def test_a_provider_without_a_limit_is_asked_at_once(reference: psycopg.Connection) -> None:
    assert ask(reference, "select queue.take_turn('openai')") == timedelta(0)
    assert ask(reference, "select count(*) from queue.provider_rate") == 0


def test_turns_of_many_connections_are_evenly_spread(db: psycopg.Connection, db_url: str) -> None:
    db.autocommit = True
    db.execute("select queue.set_rate('openai', 60)")

    def take(_: int) -> float:
        with psycopg.connect(db_url, autocommit=True) as own:
            ((wait, now),) = ask_rows(
                own,
                "select queue.take_turn('openai'), extract(epoch from clock_timestamp())::float8",
            )
        return float(now + wait.total_seconds())

    with ThreadPoolExecutor(8) as pool:
        turns = sorted(pool.map(take, range(8)))
    gaps = [later - earlier for earlier, later in pairwise(turns)]
    assert all(0.9 < gap < 1.1 for gap in gaps)
    assert ask(db, "select queue.take_turn('azure')") == timedelta(0)


def test_a_limit_can_be_changed_and_lifted(reference: psycopg.Connection) -> None:
    for rate in (1, 1000):
        reference.execute("select queue.set_rate('openai', %s)", [rate])
        reference.execute("select queue.take_turn('openai')")
    assert ask(reference, "select queue.take_turn('openai')") < timedelta(seconds=1)
    reference.execute("select queue.set_rate('openai', null)")
    assert ask(reference, "select queue.take_turn('openai')") == timedelta(0)


@pytest.mark.parametrize(("provider", "rate"), [("openai", 0), ("openai", -1), (" ", 5), (None, 5)])
def test_a_rate_that_makes_no_sense_is_refused(
    reference: psycopg.Connection, provider: str | None, rate: int
) -> None:
    with refused(reference, "QU002", "calls a minute"):
        reference.execute("select queue.set_rate(%s, %s)", [provider, rate])
