"""crawl.take_turn: those who fetch single pages keep the turn of a host that runs visit."""

from datetime import timedelta

import psycopg

from tests.db.corpus_fixtures import ask
from tests.db.crawl.runs import HOME, begin, site


def test_turns_of_a_host_follow_each_other_at_its_delay(reference: psycopg.Connection) -> None:
    site(reference, delay=timedelta(seconds=2))
    run = begin(reference)
    run.claim()
    run.robots("")
    reference.execute("update crawl.host set next_at = clock_timestamp()")
    waits = [ask(reference, "select crawl.take_turn(%s)", HOME + "x") for _ in range(4)]
    for place, wait in enumerate(waits):
        assert timedelta(seconds=2 * place - 1) < wait <= timedelta(seconds=2 * place)


def test_a_long_wait_is_told_and_nothing_is_reserved(reference: psycopg.Connection) -> None:
    site(reference)
    run = begin(reference)
    run.claim()
    reference.execute("update crawl.host set next_at = clock_timestamp() + interval '1 hour'")
    before = ask(reference, "select next_at from crawl.host")
    assert ask(reference, "select crawl.take_turn(%s)", HOME) > timedelta(minutes=59)
    assert ask(reference, "select next_at from crawl.host") == before


def test_a_host_no_run_knows_has_no_turn(reference: psycopg.Connection) -> None:
    assert ask(reference, "select crawl.take_turn('https://other.example/x')") == timedelta(0)
    assert ask(reference, "select count(*) from crawl.host") == 0


def test_a_run_waits_for_the_turns_that_were_given_away_while_it_read_a_page(
    reference: psycopg.Connection,
) -> None:
    site(reference, delay=timedelta(seconds=2))
    run = begin(reference)
    run.claim()
    run.robots("")
    reference.execute("update crawl.host set next_at = clock_timestamp()")
    reference.execute("update queue.task set ready_at = clock_timestamp()")
    step = run.page()
    waits = [ask(reference, "select crawl.take_turn(%s)", HOME) for _ in range(3)]
    run.say(step, "The council decides within six weeks. " * 4)
    assert ask(reference, "select crawl.take_turn(%s)", HOME) > waits[-1] + timedelta(seconds=1)


def test_a_page_that_was_not_asked_for_gives_no_turn_of_others_away(
    reference: psycopg.Connection,
) -> None:
    site(reference, delay=timedelta(seconds=2))
    run = begin(reference)
    run.claim()
    run.robots("")
    reference.execute("update crawl.host set next_at = clock_timestamp()")
    reference.execute("update queue.task set ready_at = clock_timestamp()")
    step = run.page()
    waits = [ask(reference, "select crawl.take_turn(%s)", HOME) for _ in range(2)]
    run.record("blocked", step)
    assert ask(reference, "select crawl.take_turn(%s)", HOME) > waits[-1] + timedelta(seconds=1)
