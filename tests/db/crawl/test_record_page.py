"""crawl.record_page, record_bytes: what a page says decides, and one text is one document."""

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows
from tests.db.crawl.runs import HOME, KENT, begin, body, crawl, live, publish, site

FIRST, SECOND = HOME + "first", HOME + "second"


def versions(db: psycopg.Connection) -> list[tuple[str, int]]:
    return ask_rows(
        db,
        "select d.source, v.version from corpus.version as v join corpus.document as d"
        " using (document_id) order by 1, 2",
    )


def test_a_second_run_over_unchanged_pages_stages_nothing(reference: psycopg.Connection) -> None:
    site(reference)
    pages = {HOME: body("home"), FIRST: body("first"), SECOND: body("second")}
    report = crawl(reference, pages).report()
    assert (report["new"], report["parsed"]) == (3, 3)
    report = crawl(reference, pages).report()
    # equal bytes need not be read
    assert (report["unchanged"], report["parsed"], report["known"]) == (3, 0, 3)
    assert len(versions(reference)) == 3


def test_a_changed_page_is_the_next_version_of_its_document(
    reference: psycopg.Connection,
) -> None:
    # C-10: known pages are fetched again, and what changed is seen
    site(reference)
    crawl(reference, {HOME: body("home"), FIRST: body("first")})
    report = crawl(reference, {HOME: body("home"), FIRST: body("first, again")}).report()
    assert (report["changed"], report["unchanged"], report["new"]) == (1, 1, 0)
    assert versions(reference) == [(HOME, 1), (FIRST, 1), (FIRST, 2)]
    assert ask(reference, "select version from crawl.url where url = %s", FIRST) == 2


def test_a_page_that_differs_in_its_bytes_alone_is_unchanged(
    reference: psycopg.Connection,
) -> None:
    # C-09: hidden tokens and times change with each fetch, the text does not
    site(reference)
    for raw in (b"token 1", b"token 2"):
        run = begin(reference)
        outcome = run.say(run.page(), body("home"), raw=raw)
        run.claim()
        publish(reference)
    assert outcome == "unchanged"
    assert run.report()["parsed"] == 1
    assert versions(reference) == [(HOME, 1)]


def test_another_extractor_reads_pages_anew_and_an_equal_text_stages_nothing(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    pages, etags = {HOME: body("home")}, {HOME: '"1"'}
    crawl(reference, pages, etags=etags)
    report = crawl(reference, pages, etags=etags, extractor="2").report()
    assert (report["parsed"], report["unchanged"]) == (1, 1)
    assert versions(reference) == [(HOME, 1)]
    # and from then on it is known as read by that one
    assert crawl(reference, pages, etags=etags, extractor="2").report()["parsed"] == 0


def test_validators_are_sent_back_byte_for_byte(reference: psycopg.Connection) -> None:
    # C-08, C-15: also a date that means nothing
    site(reference)
    run = begin(reference)
    run.say(run.page(), body("home"), etag='W/"a-gzip"', last_modified="Thu, 31 Feb 2026")
    run.claim()
    publish(reference)
    step = begin(reference).page()
    assert (step["etag"], step["last_modified"]) == ('W/"a-gzip"', "Thu, 31 Feb 2026")
    assert ask(reference, "select last_modified_at from crawl.url") is None


def test_an_equal_etag_does_not_hide_another_text_and_is_not_believed_again(
    reference: psycopg.Connection,
) -> None:
    # C-08: a site that sends one etag for ever
    site(reference)
    for about in ("home", "home, changed"):
        run = begin(reference)
        outcome = run.say(run.page(), body(about), etag='"fixed"')
        run.claim()
        publish(reference)
    assert outcome == "changed"
    step = begin(reference).page()
    assert (step["etag"], step["last_modified"]) == (None, None)


def test_a_new_page_with_the_text_of_another_is_no_document_of_its_own(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    pages = {HOME: body("home"), FIRST: body("same"), SECOND: body("same")}
    report = crawl(reference, pages).report()
    assert (report["new"], report["duplicate"]) == (2, 1)
    assert live(reference) == [HOME, FIRST]
    report = crawl(reference, pages).report()
    assert (report["unchanged"], report["lost"]) == (3, 0)


def test_the_copy_of_a_page_that_is_gone_becomes_its_address(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    pages = {HOME: body("home"), FIRST: body("same"), SECOND: body("same")}
    crawl(reference, pages)
    crawl(reference, pages, gone=[FIRST])
    assert live(reference) == [HOME, SECOND]
    assert len(versions(reference)) == 2


def test_a_page_is_a_copy_of_the_canonical_page_that_is_known(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, {HOME: body("home"), FIRST: body("first")})
    run = begin(reference)
    printed = FIRST + "?print=1"
    outcomes = []
    for _ in range(3):
        step = run.page()
        if step["url"] == printed:
            outcomes.append(run.say(step, body("first, printed"), canonical=FIRST))
        else:
            about = "home" if step["url"] == HOME else "first"
            run.say(step, body(about), links=[printed], raw=b"anew")
    assert outcomes == ["duplicate"]
    assert run.claim()["action"] == "done"
    assert live(reference) == [HOME, FIRST]


def test_a_canonical_address_that_is_a_seed_is_not_believed(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, {HOME: body("home")})
    run = begin(reference)
    run.say(run.page(), body("home"), links=[FIRST], raw=b"anew")
    assert run.say(run.page(), body("first"), canonical=HOME) == "new"


def test_pages_of_one_title_do_not_replace_each_other(reference: psycopg.Connection) -> None:
    site(reference)
    pages = {HOME: body("home"), FIRST: body("first"), SECOND: body("second")}
    crawl(reference, pages, title="Local offer")
    assert live(reference) == [HOME, FIRST, SECOND]
    changed = pages | {FIRST: body("first, changed")}
    crawl(reference, changed, title="Local offer")
    assert live(reference) == [HOME, FIRST, SECOND]


def test_documents_of_a_school_are_its_own_and_its_authoritys(
    reference: psycopg.Connection,
) -> None:
    site(reference, school_urn="990003", seeds=["https://school.example/"])
    run = begin(reference, school_urn="990003")
    step = run.page()
    # the front page of a school is read for its links
    assert not step["wanted"]
    policy = "https://school.example/send"
    assert run.say(step, body("welcome"), links=[policy]) == "read"
    assert run.say(run.page(), body("our policy")) == "new"
    assert ask_rows(
        reference,
        "select s.la_code, s.school_urn, v.document_type, v.authority from corpus.version as v"
        " join corpus.document as d using (document_id) join corpus.scope as s using (scope_id)",
    ) == [(KENT, "990003", "school_policy", "school")]


def test_whoever_lost_the_task_records_nothing(reference: psycopg.Connection) -> None:
    site(reference)
    run = begin(reference)
    step = run.page()
    slow = (run.task_id, run.token)
    reference.execute("update queue.task set ready_at = clock_timestamp()")
    again = run.page()
    assert again["url"] == step["url"]
    quick = (run.task_id, run.token)
    run.task_id, run.token = slow
    assert run.say(step, body("late")) is None
    assert ask(reference, "select count(*) from corpus.version") == 0
    run.task_id, run.token = quick
    assert run.say(again, body("home")) == "new"


def test_a_page_without_text_is_read_for_its_links_and_a_known_one_is_empty(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    for about, outcome in ((None, "read"), ("home", "new"), (None, "empty")):
        run = begin(reference)
        step = run.page()
        said = run.say(step, body(about)) if about else run.say_nothing(step, None, raw=b"nothing")
        assert said == outcome
        run.claim()
        publish(reference)
        reference.execute("update crawl.url set next_check = now()")
    assert live(reference) == [HOME]


def test_bytes_that_had_a_text_once_are_not_empty_because_a_reader_finds_none(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    crawl(reference, {HOME: body("home")})
    for _ in range(3):
        run = begin(reference)
        raw = body("home").encode()
        assert run.say_nothing(run.page(), "empty", raw=raw) == "failed"
        run.claim()
        reference.execute("update crawl.url set next_check = now()")
    assert live(reference) == [HOME]


def test_both_texts_are_found_when_one_of_two_copies_changes(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    copies = [f"{HOME}a", f"{HOME}b"]
    pages = {HOME: body("home")} | dict.fromkeys(copies, body("both"))
    crawl(reference, pages)
    (owner,) = (url for url in live(reference) if url in copies)
    # in the same run, whichever of them is looked at first
    for first in (True, False):
        reference.execute("savepoint before")
        reference.execute(
            "update crawl.url set last_checked = now() - interval '1 day'"
            " where (url = %s) = %s and url <> %s",
            [owner, first, HOME],
        )
        crawl(reference, pages | {owner: body("its own")})
        assert set(copies) <= set(live(reference))
        reference.execute("rollback to before")


def test_a_page_of_a_school_that_changed_authority_has_one_document(
    reference: psycopg.Connection,
) -> None:
    urn = ask(reference, "select min(urn) from place.school where status = 'open'")
    site(reference, school_urn=urn)
    for la_code in (KENT, "E08000025"):
        reference.execute("update place.school set la_code = %s where urn = %s", [la_code, urn])
        run = begin(reference, school_urn=urn)
        run.say(run.page(), body("home"), links=[f"{HOME}a"])
        run.say(run.page(), body(f"families of {la_code}"))
        assert run.claim()["action"] == "done"
        publish(reference)
    assert ask_rows(
        reference,
        "select s.la_code from corpus.version as v join corpus.document as d using (document_id)"
        " join corpus.scope as s using (scope_id) where v.state = 'published' and d.source = %s",
        f"{HOME}a",
    ) == [("E08000025",)]
