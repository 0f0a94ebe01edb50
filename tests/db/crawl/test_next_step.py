"""crawl.next_step: turns of hosts, budgets, and runs that are steered."""

from collections.abc import Sequence
from datetime import timedelta

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.crawl.runs import HOME, HOST, KENT, Run, begin, body, crawl, site

PAGES = {HOME: body("home")} | {f"{HOME}{n}": body(f"page {n}") for n in range(5)}


def turn(db: psycopg.Connection) -> timedelta:
    """How long until the host may be asked."""
    wait: timedelta = ask(db, "select next_at - clock_timestamp() from crawl.host")
    return wait


def test_a_host_is_asked_again_when_its_delay_has_passed(reference: psycopg.Connection) -> None:
    site(reference, delay=timedelta(seconds=30))
    run = begin(reference)
    run.claim()
    run.robots("")
    step = run.claim()
    assert step["action"] == "wait"
    assert timedelta(seconds=29) < step["wait"] <= timedelta(seconds=30)
    # and the task is ready when the turn has come, not before
    assert ask(
        reference,
        "select ready_at - clock_timestamp() between interval '28 s' and interval '30 s'"
        " from queue.task",
    )


@pytest.mark.parametrize(("asked", "holds"), [(2.5, 2.5), (0.2, 1), (7200, 300)])
def test_the_delay_of_robots_holds_where_it_is_longer_and_sane(
    reference: psycopg.Connection, asked: float, holds: float
) -> None:
    # C-03
    site(reference, delay=timedelta(seconds=1))
    run = begin(reference)
    run.claim()
    run.robots("", delay=timedelta(seconds=asked))
    reference.execute("update crawl.host set next_at = now()")
    reference.execute("update queue.task set ready_at = now()")
    run.record("missing", run.page(), for_good=False, reason="404")
    assert timedelta(seconds=holds - 0.5) < turn(reference) <= timedelta(seconds=holds)


def test_two_runs_share_the_turn_of_a_host(reference: psycopg.Connection) -> None:
    site(reference)
    site(reference, la_code="E08000025")
    first, second = begin(reference), begin(reference, la_code="E08000025")
    step = first.page()
    # the host is held while the first asks it
    assert second.claim()["action"] == "wait"
    first.say(step, body("home"))
    reference.execute("update queue.task set ready_at = now()")
    assert second.claim()["action"] == "page"


def test_a_host_whose_worker_died_is_free(reference: psycopg.Connection) -> None:
    site(reference)
    run = begin(reference)
    run.page()
    # its connection is gone: the queue gives the task to somebody else
    reference.execute("update queue.task set ready_at = clock_timestamp(), holder_pid = null")
    again = Run(reference, run.job_id)
    assert again.page()["url"] == HOME


def test_a_page_that_kills_its_workers_is_given_up(reference: psycopg.Connection) -> None:
    site(reference)
    run = begin(reference)
    for _ in range(3):
        assert run.page()["url"] == HOME
        reference.execute("update queue.task set ready_at = clock_timestamp()")
    assert run.claim()["action"] == "done"
    assert run.report()["failed"] == 1


def test_new_pages_near_a_seed_go_first_and_depth_ends(reference: psycopg.Connection) -> None:
    # C-07
    site(reference, max_depth=2)
    run = begin(reference)
    seen: list[str] = []
    while (step := run.page() if not seen else run.claim())["action"] == "page":
        seen.append(step["url"].removeprefix(HOME))
        run.say(step, body(step["url"]), links=[step["url"] + "a", step["url"] + "b"])
    assert seen == ["", "a", "b", "aa", "ab", "ba", "bb"]


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"max_pages": 3}, "3 pages were asked for"),
        ({"max_bytes": 250}, "300 bytes came"),
        ({"max_time": timedelta(microseconds=1)}, "it took"),
    ],
)
def test_a_budget_ends_a_run_with_a_reason_and_loses_nothing(
    reference: psycopg.Connection, limit: dict[str, object], reason: str
) -> None:
    # C-07: endless link spaces
    site(reference, max_depth=10, **limit)
    run = begin(reference)
    while (step := run.claim())["action"] != "done":
        if step["action"] == "robots":
            run.robots("")
        else:
            run.say(step, body(step["url"]), links=[step["url"] + "x"])
    report = run.report()
    assert report["state"] == "done"
    assert reason in report["reason"]
    assert (report["gone"], report["lost"]) == (0, 0)


def test_a_run_that_is_paused_rests_and_goes_on_where_it_was(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    run = begin(reference)
    step = run.page()
    reference.execute("select crawl.pause_job(%s)", [run.job_id])
    # what is under way is finished
    assert run.say(step, body("home"), links=list(PAGES)) == "new"
    assert run.claim()["action"] == "done"
    assert run.report()["state"] == "paused"
    assert ask(reference, "select count(*) from queue.task where kind = 'crawl_job'") == 0
    reference.execute("select crawl.resume_job(%s)", [run.job_id])
    assert run.claim()["url"] == f"{HOME}0"


def test_a_run_that_is_called_off_records_nothing_more(reference: psycopg.Connection) -> None:
    site(reference)
    crawl(reference, PAGES)
    run = begin(reference)
    step = run.page()
    reference.execute("select crawl.cancel_job(%s)", [run.job_id])
    assert run.record("missing", step, for_good=True, reason="410") is None
    assert run.report()["state"] == "cancelled"
    assert ask(reference, "select count(*) from crawl.url where is_archived") == 0
    for steer in ("pause_job", "resume_job", "cancel_job"):
        with refused(reference, "WC004", "cancelled"):
            reference.execute(f"select crawl.{steer}(%s)".encode(), [run.job_id])
    with refused(reference, "WC001"):
        reference.execute("select crawl.cancel_job(0)")
    # and the site may be visited again
    assert begin(reference).job_id != run.job_id


def test_a_failure_that_passes_is_tried_three_times(reference: psycopg.Connection) -> None:
    site(reference)
    run = begin(reference)
    outcomes = []
    for _ in range(3):
        step = run.page()
        outcomes.append(run.record("failed", step, reason="the site answered 503", may_pass=True))
        reference.execute("update crawl.visit set ready_at = now()")
    assert outcomes == ["retrying", "retrying", "failed"]


def test_a_host_that_asks_for_time_is_left_alone_as_a_whole(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    run = begin(reference)
    run.say(run.page(), body("home"), links=list(PAGES))
    run.record("failed", run.claim(), reason="429", may_pass=True, wait=timedelta(minutes=20))
    assert run.claim()["action"] == "wait"
    assert timedelta(minutes=19) < turn(reference) <= timedelta(minutes=20)


def test_a_text_that_cannot_be_read_now_is_unchanged_by_its_validators(
    reference: psycopg.Connection,
) -> None:
    # C-08, C-15: ETags are compared weakly, and a date that means nothing proves nothing
    site(reference)
    for etag, modified, then, now, outcome in (
        ('"a"', None, 'W/"a-gzip"', None, "unchanged"),
        ('"a"', None, '"b"', None, "failed"),
        (None, "Mon, 02 Feb 2026 10:00:00 GMT", None, "Mon, 02 Feb 2026 10:00:00 GMT", "unchanged"),
        (None, "soon", None, "soon", "failed"),
        (None, None, None, None, "failed"),
    ):
        run = begin(reference)
        run.say(
            run.page(),
            body("home"),
            etag=etag,
            last_modified=modified,
            raw=repr(etag).encode() + repr(modified).encode(),
        )
        run.claim()
        reference.execute("update crawl.url set next_check = now()")
        run = begin(reference)
        assert (
            run.record("failed", run.page(), reason="no text", etag=then, last_modified=now)
            == outcome
        )
        run.claim()
        reference.execute("delete from crawl.url")


def test_robots_that_cannot_be_read_three_times_fail_the_hosts_pages(
    reference: psycopg.Connection,
) -> None:
    # C-01
    site(reference)
    run = begin(reference)
    for _ in range(3):
        assert run.claim()["action"] == "robots"
        run.robots(None, wait=timedelta(minutes=30))
        assert turn(reference) > timedelta(minutes=29)
        reference.execute("update crawl.host set next_at = now()")
    assert run.claim()["action"] == "done"
    assert run.report()["failed"] == 1
    # nothing is remembered but when to ask again
    assert ask_rows(reference, "select robots, robots_failures from crawl.host") == [(None, 3)]
    assert not ask(reference, "select blocked_by_robots from crawl.url")


def test_robots_is_read_again_after_a_day(reference: psycopg.Connection) -> None:
    site(reference)
    crawl(reference, {HOME: body("home")})
    assert begin(reference).claim()["action"] == "page"
    reference.execute("delete from crawl.job")
    reference.execute("delete from queue.task")
    reference.execute(
        "update crawl.host set robots_expires_at = now(), held_by_task = null,"
        " held_token = null, next_at = now()"
    )
    assert begin(reference).claim()["action"] == "robots"


def test_links_that_robots_forbids_are_noted_and_open_with_its_rules(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    run = begin(reference)
    run.say(run.page(), body("home"), links=[HOME + "private"], blocked=True)
    assert run.claim()["action"] == "done"
    assert run.report()["blocked"] == 1
    assert ask(reference, "select blocked_by_robots from crawl.url where url like '%private'")
    run = begin(reference)
    run.say(run.page(), body("home"), raw=b"anew")
    assert run.claim()["action"] == "done"
    reference.execute("update crawl.host set robots_expires_at = now()")
    run = begin(reference)
    run.claim()
    run.robots("User-agent: *\nAllow: /", host=HOST)
    assert {run.claim()["url"]} == {HOME}
    assert (
        ask(
            reference,
            "select count(*) from crawl.visit where url like %s and job_id = %s",
            "%private",
            run.job_id,
        )
        == 1
    )


def test_sitemaps_are_read_once_each_and_twenty_at_most(reference: psycopg.Connection) -> None:
    # C-13: one that lists itself, and an index without end
    site(reference)
    run = begin(reference)
    run.claim()
    run.robots("", sitemaps=[HOME + "s.xml"])
    many = [f"{HOME}s{n}.xml" for n in range(50)]
    seen = 0
    while (step := run.claim())["action"] in {"page", "sitemap"}:
        if step["action"] == "sitemap":
            seen += 1
            run.record("sitemap", step, size=10, sitemaps=[step["url"], *many])
        else:
            run.say(step, body(step["url"]))
    assert seen == 20
    assert run.report()["found"] == 1


def test_a_page_known_to_another_authority_is_not_shared(reference: psycopg.Connection) -> None:
    site(reference)
    site(reference, la_code="E08000025")
    crawl(reference, {HOME: body("home")})
    other = begin(reference, la_code="E08000025")
    assert other.say(other.page(), body("home")) == "new"
    assert sorted(
        row[0]
        for row in ask_rows(
            reference, "select la_code from corpus.scope join corpus.document using (scope_id)"
        )
    ) == ["E08000025", KENT]


def test_a_budget_leaves_out_other_pages_each_time(reference: psycopg.Connection) -> None:
    site(reference)
    crawl(reference, PAGES)
    late = [f"{HOME}4", f"{HOME}3"]
    for days, url in enumerate(late):
        reference.execute(
            "update crawl.url set last_checked = now() - make_interval(days => 9 - %s)"
            " where url = %s",
            [days, url],
        )
    site(reference, max_pages=3)
    run = begin(reference)
    seen = []
    while (step := run.claim())["action"] == "page":
        seen.append(step["url"])
        run.say(step, PAGES[step["url"]])
    assert seen == [HOME, *late]


def far(number: int) -> str:
    """A page of a site of sixty, of which each links to three more."""
    return HOME if number == 0 else f"{HOME}{number}"


def visited(run: Run) -> list[str]:
    """What a run goes to; a page says the same each time."""
    urls = []
    while (step := run.claim())["action"] != "done":
        if step["action"] == "robots":
            run.robots("")
            continue
        urls.append(step["url"])
        number = int(step["url"].removeprefix(HOME) or 0)
        links = [far(n) for n in range(3 * number + 1, 3 * number + 4) if n < 60]
        run.say(step, body(step["url"]), links=links)
    # a day later: all that a test does has one now()
    run.db.execute("update crawl.url set last_checked = last_checked - interval '1 day'")
    return urls


def test_over_several_runs_a_budget_leaves_no_page_out(reference: psycopg.Connection) -> None:
    site(reference, max_pages=20, max_depth=10)
    every = {far(number) for number in range(60)}
    runs = [visited(begin(reference)) for _ in range(5)]
    assert all(len(urls) == 20 for urls in runs)
    # links of a page that does not change are not read again: what was found must not be forgotten
    assert set().union(*map(set, runs)) == every
    # new pages do not wait for all known ones, nor these for them
    known = set(runs[0])
    assert len(known & set(runs[1])) in range(8, 13)
    # and once all are known, those seen longest ago go first, far ones as well
    assert set().union(*(visited(begin(reference)) for _ in range(4))) == every


def fair(run: Run, links: Sequence[str]) -> list[str]:
    """What a run goes to of a site whose pages all link to these, without its host."""
    urls = []
    while (step := run.claim())["action"] != "done":
        if step["action"] == "robots":
            run.robots("")
            continue
        urls.append(step["url"].removeprefix(HOME))
        run.say(step, body(step["url"]), links=links)
    run.db.execute("update crawl.url set last_checked = last_checked - interval '1 day'")
    return urls


def test_seeds_that_fill_a_budget_leave_no_page_out_and_take_turns_themselves(
    reference: psycopg.Connection,
) -> None:
    # they were asked for in each run, always the same ones, and no page they lead to ever was
    seeds, links = ([f"{HOME}{kind}{n}" for n in range(12)] for kind in ("seed", "page"))
    site(reference, seeds=seeds, max_pages=8)
    runs = [fair(begin(reference), links) for _ in range(6)]
    assert all(len(urls) == 8 for urls in runs)
    assert set().union(*map(set, runs)) == {url.removeprefix(HOME) for url in (*seeds, *links)}
    # and once all are known none waits for more runs than turns ask for
    later = [fair(begin(reference), links) for _ in range(3)]
    assert set().union(*map(set, later)) == set().union(*map(set, runs))
    assert all(2 < sum(url.startswith("seed") for url in urls) < 6 for urls in later)


def test_where_seeds_lead_to_takes_turns_with_them(reference: psycopg.Connection) -> None:
    seeds = [f"{HOME}{n}" for n in range(6)]
    site(reference, seeds=seeds, max_pages=4)
    seen = set()
    for _ in range(6):
        run = begin(reference)
        while (step := run.claim())["action"] != "done":
            if step["action"] == "robots":
                run.robots("")
            elif step["url"] in seeds:
                run.record("moved", step, target=step["url"] + "/home", is_inside=True)
            else:
                seen.add(step["url"])
                run.say(step, body(step["url"]))
        reference.execute("update crawl.url set last_checked = last_checked - interval '1 day'")
    assert seen == {f"{url}/home" for url in seeds}


def test_a_seed_that_leads_away_has_had_its_turn(reference: psycopg.Connection) -> None:
    seeds = [f"{HOME}{n}" for n in range(6)]
    site(reference, seeds=seeds, max_pages=3)
    seen = set()
    for _ in range(2):
        run = begin(reference)
        while (step := run.claim())["action"] != "done":
            if step["action"] == "robots":
                run.robots("")
            else:
                seen.add(step["url"])
                run.record("moved", step, target="https://away.example/", is_inside=False)
    assert seen == set(seeds)


def test_sitemaps_take_turns_with_pages_and_others_come_first_each_time(
    reference: psycopg.Connection,
) -> None:
    # C-13: twenty of them were read before the first page, out of a budget of ten never another
    site(reference, max_pages=10)
    maps = [f"{HOME}{n}.xml" for n in range(30)]
    read, seen = set(), set()
    for _ in range(12):
        run = begin(reference)
        while (step := run.claim())["action"] != "done":
            if step["action"] == "robots":
                run.robots("", sitemaps=maps)
            elif step["action"] == "sitemap":
                read.add(step["url"])
                page = step["url"].removesuffix(".xml")
                run.record("sitemap", step, size=10, links=Jsonb([{"url": page, "wanted": True}]))
            else:
                seen.add(step["url"])
                run.say(step, body(step["url"]))
        reference.execute("update crawl.host set robots_expires_at = now()")
        reference.execute("update crawl.url set last_checked = last_checked - interval '1 day'")
    assert read == set(maps)
    assert seen == {HOME, *(url.removesuffix(".xml") for url in maps)}


def test_a_question_for_what_is_missing_takes_nothing_from_the_budget(
    reference: psycopg.Connection,
) -> None:
    site(reference, max_pages=1)
    run = begin(reference)
    run.claim()
    run.robots("", probe=f"{HOME}no-such-page")
    step = run.claim()
    assert step["action"] == "probe"
    run.record("probe", step, was_answered=True, missing_text=None, size=10)
    assert run.claim()["url"] == HOME
    assert run.report()["requests"] == 1


def test_what_a_cancelled_run_has_found_is_left_to_the_next(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    run = begin(reference)
    run.say(run.page(), body("home"), links=list(PAGES))
    reference.execute("select crawl.cancel_job(%s)", [run.job_id])
    assert set(visited(begin(reference))) >= set(PAGES)


def test_that_a_text_is_wanted_is_not_forgotten_with_the_run_that_found_it(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    page = f"{HOME}0"
    run = begin(reference)
    run.say(run.page(), body("home"), links=[page], wanted=False)
    run.say_nothing(run.page(), None, raw=b"links")
    assert run.claim()["action"] == "done"
    # another link to it tells by its words that it is a policy, say; then the run is called off
    run = begin(reference)
    run.say(run.page(), body("home"), links=[page], raw=b"anew")
    reference.execute("select crawl.cancel_job(%s)", [run.job_id])
    run = begin(reference)
    run.say(run.page(), body("home"), raw=b"anew")
    step = run.page()
    assert (step["url"], step["wanted"]) == (page, True)


def test_the_time_a_run_rests_does_not_count(reference: psycopg.Connection) -> None:
    site(reference)
    run = begin(reference)
    step = run.page()
    ask(reference, "select crawl.pause_job(%s)", run.job_id)
    run.say(step, body("home"), links=[HOME + "a"])
    reference.execute("update crawl.job set started_at = started_at - interval '1 day'")
    ask(reference, "select crawl.resume_job(%s)", run.job_id)
    assert run.claim()["action"] == "page"
