"""crawl.settle_losses, is_mass_loss: what is gone is retired, and one bad night deletes no site."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.crawl.runs import HOME, KENT, begin, body, crawl, live, publish, site

PAGES = {HOME: body("home")} | {f"{HOME}{n}": body(f"page {n}") for n in range(9)}
SOME = [f"{HOME}{n}" for n in range(6)]


def test_a_page_gone_for_good_is_retired_and_stays_for_auditors(
    reference: psycopg.Connection,
) -> None:
    # C-11
    site(reference)
    crawl(reference, PAGES)
    report = crawl(reference, PAGES, gone=[SOME[0]]).report()
    assert (report["state"], report["gone"], report["retired"]) == ("done", 1, 1)
    assert SOME[0] not in live(reference)
    assert ask_rows(
        reference,
        "select v.state, v.valid_to is not null, v.superseded_by from corpus.version as v"
        " join corpus.document as d using (document_id) where d.source = %s",
        SOME[0],
    ) == [("superseded", True, None)]
    assert ask_rows(reference, "select url, is_archived from crawl.url where is_archived") == [
        (SOME[0], True)
    ]
    assert ask(
        reference,
        "select detail ->> 'reason' from audit.event where kind = 'superseded'",
    ).startswith("crawl: gone")


def test_a_missing_page_is_retired_when_the_next_run_misses_it_too(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    absent = PAGES | {SOME[0]: None}
    assert crawl(reference, absent).report()["retired"] == 0
    assert SOME[0] in live(reference)
    assert crawl(reference, PAGES).report()["unchanged"] == 10
    for retired in (0, 1):
        assert crawl(reference, absent).report()["retired"] == retired
    assert SOME[0] not in live(reference)


@pytest.mark.parametrize("why", ["withdrawn", "empty"])
def test_a_page_that_is_withdrawn_or_says_nothing_twice_is_retired_and_may_come_back(
    reference: psycopg.Connection, why: str
) -> None:
    # C-11: the old text of such a page stayed published for ever
    site(reference)
    crawl(reference, PAGES)
    for retired in (0, 1):
        report = crawl(reference, PAGES, silent={SOME[0]: why}).report()
        assert (report["gone"], report["failed"], report["lost"]) == (1, 0, 1)
        assert report["retired"] == retired
    assert SOME[0] not in live(reference)
    # curators see why, in the run and in the audit log
    assert ask(
        reference,
        "select detail ->> 'reason' from audit.event where kind = 'superseded'",
    ).startswith(f"crawl: {why}: it ")
    reference.execute("update crawl.url set next_check = now()")
    assert crawl(reference, PAGES).report()["changed"] == 1
    assert SOME[0] in live(reference)


def test_a_page_that_is_withdrawn_in_one_run_and_there_in_the_next_is_kept(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    for _ in range(2):
        crawl(reference, PAGES, silent={SOME[0]: "empty"})
        assert crawl(reference, PAGES).report()["unchanged"] == 10
    assert SOME[0] in live(reference)


def test_a_site_that_withdraws_everything_at_once_loses_nothing(
    reference: psycopg.Connection,
) -> None:
    # a staging setting that went live: noindex everywhere
    site(reference)
    crawl(reference, PAGES)
    for _ in range(3):
        run = crawl(reference, PAGES, silent=dict.fromkeys(PAGES, "withdrawn"))
        assert run.report()["state"] == "stopped"
    assert len(live(reference)) == 10


def test_a_page_whose_text_comes_by_post_keeps_the_one_it_had(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    for _ in range(3):
        reference.execute("update crawl.url set next_check = now()")
        run = crawl(reference, PAGES, silent={SOME[0]: "needs_post"})
        assert (run.report()["failed"], run.report()["retired"]) == (1, 0)
    assert SOME[0] in live(reference)
    assert ask_rows(
        reference,
        "select v.outcome, u.failure_streak, u.reason like '%%by POST%%' from crawl.visit as v"
        " join crawl.url as u using (url) where v.job_id = %s and v.url = %s",
        run.job_id,
        SOME[0],
    ) == [("needs_post", 3, True)]


def test_a_page_that_comes_back_is_found_again(reference: psycopg.Connection) -> None:
    site(reference)
    crawl(reference, PAGES)
    crawl(reference, PAGES, gone=[SOME[0]])
    reference.execute("update crawl.url set next_check = now()")
    report = crawl(reference, PAGES).report()
    assert (report["changed"], report["unchanged"]) == (1, 9)
    assert SOME[0] in live(reference)
    assert ask(reference, "select count(*) from crawl.url where is_archived") == 0


def asked(db: psycopg.Connection, url: str, days: int, **named: Any) -> list[int]:
    """On which of so many days, with a run each, a page is asked for; others are as they were."""
    on = []
    for day in range(days):
        db.execute(
            "update crawl.url set next_check = next_check - interval '1 day',"
            " archived_at = archived_at - interval '1 day'"
        )
        run = crawl(db, PAGES | ({} if named else {url: None}), **named)
        if ask(
            db,
            "select count(*) > 0 from crawl.visit where job_id = %s and url = %s",
            run.job_id,
            url,
        ):
            on.append(day)
        # of another day: what is known of it is enough
        db.execute("delete from crawl.job where job_id = %s", [run.job_id])
    return on


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"gone": [SOME[0]]},
        {"silent": {SOME[0]: "withdrawn"}},
        {"silent": {SOME[0]: "empty"}},
        {"silent": {SOME[0]: "needs_post"}},
        {"moved": {SOME[0]: SOME[1]}},
    ],
    ids=["missing", "gone", "withdrawn", "empty", "needs post", "moved"],
)
def test_a_page_that_was_retired_is_asked_again_more_and_more_seldom(
    reference: psycopg.Connection, named: dict[str, Any]
) -> None:
    # once a week was over it was asked in each run, for ever
    site(reference)
    crawl(reference, PAGES)
    crawl(reference, PAGES, gone=[SOME[0]])
    assert asked(reference, SOME[0], 28, **named) == [6, 13, 27]
    assert SOME[0] not in live(reference)
    # and never so seldom that one that comes back is not noticed
    reference.execute(
        "update crawl.url set next_check = now(),"
        " archived_at = case when is_archived then now() - interval '5 years' end"
    )
    crawl(reference, PAGES | ({} if named else {SOME[0]: None}), **named)
    rest = ask(reference, "select next_check - now() from crawl.url where is_archived")
    assert rest == timedelta(days=90)
    reference.execute("update crawl.url set next_check = now()")
    crawl(reference, PAGES)
    assert SOME[0] in live(reference)
    assert ask(reference, "select next_check <= now() from crawl.url where url = %s", SOME[0])


def test_a_link_that_leads_nowhere_rests_longer_each_time_and_a_failure_a_week_at_most(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    dead, away, down = (f"{HOME}{name}" for name in ("dead", "away", "down"))
    for _ in range(13):
        run = begin(reference)
        while (step := run.claim())["action"] != "done":
            if step["action"] == "robots":
                run.robots("", host=step["host"])
            elif step["url"] == dead:
                run.record("missing", step, for_good=False, reason="404")
            elif step["url"] == away:
                target = "https://away.example/"
                run.record("moved", step, target=target, is_inside=False)
            elif step["url"] == down:
                run.record("failed", step, reason="the site answered 500")
            else:
                run.say(step, body("home"), links=[dead, away, down])
        rows = ask_rows(reference, "select url, next_check - now() from crawl.url where depth > 0")
        reference.execute("update crawl.url set next_check = now()")
    assert dict(rows) == dict.fromkeys([dead, away], timedelta(days=90)) | {down: timedelta(days=7)}


def test_a_seed_that_is_gone_is_asked_in_each_run_as_nothing_else_leads_anywhere(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    for _ in range(3):
        assert crawl(reference, PAGES, gone=[HOME]).report()["gone"] == 1


def test_pages_that_fail_are_kept_and_asked_again_later(reference: psycopg.Connection) -> None:
    # C-11: 5xx and timeouts are not an end
    site(reference)
    crawl(reference, PAGES)
    run = begin(reference)
    while (step := run.claim())["action"] == "page":
        if step["url"] == SOME[0]:
            run.record("failed", step, reason="the site answered 500")
        else:
            run.say(step, PAGES[step["url"]])
    assert run.report()["failed"] == 1
    assert SOME[0] in live(reference)
    assert ask_rows(
        reference,
        "select failure_streak, next_check > now(), reason from crawl.url where url = %s",
        SOME[0],
    ) == [(1, True, "the site answered 500")]


def test_mass_loss_stops_the_run_before_anything_is_retired(
    reference: psycopg.Connection,
) -> None:
    # C-11: 60 % of a site gone in one run
    site(reference)
    crawl(reference, PAGES)
    run = crawl(reference, PAGES, gone=SOME)
    report = run.report()
    assert (report["state"], report["retired"]) == ("stopped", 0)
    assert "5 of 10 known pages" in report["reason"]
    assert len(live(reference)) == 10
    assert ask(reference, "select sum(missing_streak + failure_streak) from crawl.url") == 0
    with refused(reference, "WC004", "accept_loss"):
        reference.execute("select crawl.resume_job(%s)", [run.job_id])


def test_a_run_that_sees_a_part_of_a_site_that_is_down_loses_nothing(
    reference: psycopg.Connection,
) -> None:
    # of forty known pages its budget sees ten: all of those are gone
    pages = {HOME: body("home")} | {f"{HOME}{n}": body(f"page {n}") for n in range(39)}
    site(reference)
    crawl(reference, pages)
    site(reference, max_pages=10)
    report = crawl(reference, pages, gone=list(pages)).report()
    assert (report["state"], report["lost"], report["retired"]) == ("stopped", 10, 0)
    assert report["reason"].startswith("10 of 10 known pages were not there")
    assert len(live(reference)) == 40


def test_somebody_may_say_that_the_pages_are_really_gone(reference: psycopg.Connection) -> None:
    site(reference)
    crawl(reference, PAGES)
    stopped = crawl(reference, PAGES, gone=SOME)
    reference.execute("select crawl.resume_job(%s, accept_loss => true)", [stopped.job_id])
    run = crawl(reference, PAGES, gone=SOME)
    assert run.job_id == stopped.job_id
    assert (run.report()["state"], run.report()["retired"]) == ("done", 6)
    assert live(reference) == sorted(set(PAGES) - set(SOME))


def test_a_site_that_says_the_same_everywhere_loses_nothing(
    reference: psycopg.Connection,
) -> None:
    # a login wall, or a notice of maintenance, with 200
    site(reference)
    crawl(reference, PAGES)
    walled = dict.fromkeys(PAGES, body("please log in"))
    run = crawl(reference, walled)
    assert run.report()["state"] == "stopped"
    assert len(live(reference)) == 10
    # and it is no more believed when it says so again
    assert crawl(reference, walled).report()["state"] == "stopped"
    # the first of them took it for its own news; what it was is back with the site
    assert crawl(reference, PAGES).report()["state"] == "done"
    assert len(live(reference)) == 10


def test_a_page_that_says_now_what_another_says_is_taken_over_by_it(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    report = crawl(reference, PAGES | {SOME[1]: PAGES[SOME[0]]}).report()
    assert (report["duplicate"], report["retired"]) == (1, 1)
    assert live(reference) == sorted(set(PAGES) - {SOME[1]})
    assert (
        ask(
            reference,
            "select s.source from corpus.version as v join corpus.document as d using (document_id)"
            " join corpus.version as n on v.superseded_by = n.version_id"
            " join corpus.document as s on n.document_id = s.document_id where d.source = %s",
            SOME[1],
        )
        == SOME[0]
    )
    report = crawl(reference, PAGES | {SOME[1]: PAGES[SOME[0]]}).report()
    assert (report["lost"], report["unchanged"]) == (0, 10)


def test_a_page_that_moved_is_taken_over_by_where_it_leads(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    new = HOME + "new"
    run = begin(reference)
    while (step := run.claim())["action"] == "page":
        if step["url"] == SOME[0]:
            assert run.record("moved", step, target=new, is_inside=True) == "moved"
        else:
            run.say(step, (PAGES | {new: body("page 0, with news")})[step["url"]])
    publish(reference)
    # it is seen only now: the next run knows that it took over
    assert new in live(reference)
    run = begin(reference)
    while (step := run.claim())["action"] == "page":
        if step["url"] == SOME[0]:
            run.record("moved", step, target=new, is_inside=True)
        else:
            run.say(step, (PAGES | {new: body("page 0, with news")})[step["url"]])
    assert run.report()["retired"] == 1
    assert live(reference) == sorted({*PAGES, new} - {SOME[0]})


def test_an_address_that_moved_without_another_text_keeps_its_document(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    new = HOME + "new"
    run = begin(reference)
    while (step := run.claim())["action"] == "page":
        if step["url"] == SOME[0]:
            run.record("moved", step, target=new, is_inside=True)
        else:
            run.say(step, (PAGES | {new: PAGES[SOME[0]]})[step["url"]])
    assert live(reference) == sorted({*PAGES, new} - {SOME[0]})
    assert ask(reference, "select count(*) from corpus.version") == 10


def test_a_document_whose_source_is_gone_may_be_brought_back(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    crawl(reference, PAGES, gone=[SOME[0]])
    document_id = ask(
        reference, "select document_id from corpus.document where source = %s", SOME[0]
    )
    reference.execute("select corpus.undo_supersession(corpus.last_superseded(%s))", [document_id])
    assert SOME[0] in live(reference)


def test_one_page_alone_is_no_mass(reference: psycopg.Connection) -> None:
    site(reference, la_code=KENT)
    crawl(reference, {HOME: body("home")})
    assert crawl(reference, {HOME: body("home")}, gone=[HOME]).report()["state"] == "done"
    assert live(reference) == []


def test_a_page_another_took_over_for_a_while_is_found_again(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    old, new = SOME[:2]
    crawl(reference, PAGES)
    # what it says is what the home page says: a login wall, or a page under repair
    for _ in range(2):
        crawl(reference, PAGES | {old: PAGES[HOME]})
    assert old not in live(reference)
    crawl(reference, PAGES)
    assert old in live(reference)
    # and the same when it led to another page
    crawl(reference, PAGES, moved={old: new})
    assert old not in live(reference)
    reference.execute("update crawl.url set next_check = now()")
    crawl(reference, PAGES)
    assert old in live(reference)


def test_a_page_that_moves_and_moves_back_is_found_where_it_is(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    old, new = SOME[0], f"{HOME}new"
    crawl(reference, PAGES | {new: PAGES[old]}, moved={old: new})
    assert [url for url in live(reference) if url in {old, new}] == [new]
    # at once, although what is gone is looked at again after a week
    crawl(reference, PAGES, moved={new: old})
    assert [url for url in live(reference) if url in {old, new}] == [old]
    assert ask(reference, "select count(*) from corpus.document") == 10


def test_a_text_outlives_the_page_it_came_from_at_the_page_that_took_it_over(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    first, second = SOME[:2]
    for _ in range(2):
        crawl(reference, PAGES | {second: PAGES[first]})
    for _ in range(2):
        crawl(reference, PAGES | {first: None, second: PAGES[first]})
    assert [url for url in live(reference) if url in {first, second}] == [second]
    # and does not outlive that one: nothing of a page that is gone stays behind
    crawl(reference, PAGES | {first: None, second: body("something else")})
    assert [url for url in live(reference) if url in {first, second}] == [second]
    assert crawl(reference, PAGES | {first: None, second: body("more")}).report()["changed"] == 1


def test_a_run_that_stopped_is_not_resumed_after_a_later_one(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, PAGES)
    stopped = crawl(reference, PAGES, gone=SOME)
    crawl(reference, PAGES)
    # what it found gone is there again
    with refused(reference, "WC004", "not the last"):
        ask(reference, "select crawl.resume_job(%s, true)", stopped.job_id)
    assert set(SOME) <= set(live(reference))
