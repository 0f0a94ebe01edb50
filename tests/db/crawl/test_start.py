"""crawl.set_site, start, start_due: whose site is visited, once at a time, when it is due."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.crawl.runs import HOME, KENT, begin, site


def test_a_site_that_is_being_visited_gets_no_second_run(reference: psycopg.Connection) -> None:
    site(reference)
    first = ask_rows(reference, "select job_id, site, is_new from crawl.start(%s)", KENT)
    again = ask_rows(reference, "select job_id, site, is_new from crawl.start(%s)", KENT)
    assert first == [(first[0][0], "Kent", True)]
    assert again == [(first[0][0], "Kent", False)]
    assert ask(reference, "select count(*) from queue.task where kind = 'crawl_job'") == 1


def test_an_open_run_whose_task_was_given_up_is_taken_up_again(
    reference: psycopg.Connection,
) -> None:
    site(reference)
    begin(reference)
    reference.execute("update queue.task set dead = true")
    begin(reference)
    assert not ask(reference, "select dead from queue.task")


def test_an_old_code_of_an_authority_is_its_own_site(reference: psycopg.Connection) -> None:
    site(reference, la_code="E08000016", seeds=["https://barnsley.example/"])
    assert ask(reference, "select la_code from crawl.site") == "E08000038"
    assert begin(reference, la_code="370").report()["la_code"] == "E08000038"


def test_home_pages_of_the_registers_are_where_runs_begin(reference: psycopg.Connection) -> None:
    reference.execute("update place.authority set website = 'HTTPS://Kent.example'")
    reference.execute("update place.school set website = 'http://school.example/x'")
    begin(reference)
    begin(reference, school_urn="990003")
    assert ask_rows(
        reference, "select name, seeds, document_type from crawl.site order by site_id"
    ) == [
        ("Kent", ["https://kent.example/"], "local_offer"),
        ("Weald View Primary School", ["http://school.example/x"], "school_policy"),
    ]


def test_an_authority_without_a_known_site_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "WC002", "set_site"):
        begin(reference)
    with refused(reference, "PL001"):
        begin(reference, la_code="E99999999")
    with refused(reference, "PL002"):
        begin(reference, school_urn="123456")
    with refused(reference, "WC002"):
        begin(reference, la_code=" ")


def test_a_batch_visits_the_open_schools_whose_site_is_known(
    reference: psycopg.Connection,
) -> None:
    reference.execute(
        "select place.load_schools(%s)",
        [
            Jsonb(
                [
                    {"urn": urn, "name": urn, "la_code": KENT, "website": web, "status": status}
                    for urn, web, status in (
                        ("990011", "https://a.example", "open"),
                        ("990012", None, "open"),
                        ("990013", "https://c.example", "closed"),
                    )
                ]
            )
        ],
    )
    assert ask_rows(
        reference, "select site from crawl.start(la_code => %s, schools => true)", KENT
    ) == [("990011",)]


def test_everything_is_every_authority_and_each_national_domain_once(
    reference: psycopg.Connection,
) -> None:
    reference.execute("update place.authority set website = 'https://' || lower(gss) || '.example'")
    reference.execute("select from crawl.start(everything => true)")
    found = ask_rows(
        reference,
        "select la_code, domain from crawl.job join crawl.site using (site_id) order by 1, 2",
    )
    assert found == [
        ("E06000063", None), ("E06000064", None), ("E08000025", None), ("E08000038", None),
        (KENT, None), (None, "gov.uk"),
    ]  # fmt: skip
    # twice is harmless
    assert not any(
        row[0] for row in ask_rows(reference, "select is_new from crawl.start(everything => true)")
    )


def test_what_is_not_given_stays_as_it_is(reference: psycopg.Connection) -> None:
    site(reference, schedule="0 3 * * *", max_pages=7, tags=["ehcp"], prefixes=[HOME + "send"])
    reference.execute("select crawl.set_site(la_code => %s, max_depth => 1)", [KENT])
    assert ask_rows(
        reference, "select schedule, max_pages, max_depth, tags, prefixes, seeds from crawl.site"
    ) == [("0 3 * * *", 7, 1, ["ehcp"], [HOME + "send"], [HOME])]
    reference.execute("select crawl.set_site(la_code => %s, schedule => '')", [KENT])
    assert ask_rows(reference, "select schedule, next_run_at from crawl.site") == [(None, None)]


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"seeds": ["ftp://kent.example/"]}, "WC002"),
        ({"seeds": []}, "WC002"),
        ({"seeds": ["https://user:pass@kent.example/"]}, "WC002"),
        ({"seeds": [f"https://kent.example/{n}" for n in range(101)]}, "WC002"),
        ({"schedule": "0 0 31 2 *"}, "WC003"),
        ({"schedule": "often"}, "WC003"),
        ({"tags": ["no-such-tag"]}, "KB002"),
    ],
)
def test_a_site_that_cannot_be_visited_is_refused(
    reference: psycopg.Connection, facts: dict[str, Any], code: str
) -> None:
    with refused(reference, code):
        site(reference, **facts)


def test_a_site_has_one_owner(reference: psycopg.Connection) -> None:
    with refused(reference, "WC002"):
        reference.execute("select crawl.set_site(seeds => '{https://a.example}')")
    with refused(reference, "WC002"):
        reference.execute(
            "select crawl.set_site(la_code => %s, school_urn => '990003',"
            " seeds => '{https://a.example}')",
            [KENT],
        )


def test_a_due_schedule_starts_one_run_and_is_due_again_later(
    reference: psycopg.Connection,
) -> None:
    site(reference, schedule="0 3 * * *")
    assert ask(reference, "select crawl.start_due()") == 0
    # it was due for days: one run makes up for all of them
    reference.execute("update crawl.site set next_run_at = now() - interval '5 days'")
    assert ask(reference, "select crawl.start_due()") == 1
    assert ask(reference, "select crawl.start_due()") == 0
    assert ask_rows(reference, "select requested_by, state from crawl.job") == [
        ("schedule", "pending")
    ]
    assert ask(reference, "select next_run_at > now() from crawl.site")


def test_a_schedule_that_rests_starts_nothing(reference: psycopg.Connection) -> None:
    site(reference, schedule="0 3 * * *", paused=True)
    reference.execute("update crawl.site set next_run_at = now()")
    assert ask(reference, "select crawl.start_due()") == 0


def test_old_runs_go_and_the_last_of_a_site_stays(reference: psycopg.Connection) -> None:
    site(reference)
    for _ in range(3):
        run = begin(reference)
        run.record("missing", run.page(), for_good=False, reason="404")
        run.claim()
    reference.execute("update crawl.job set finished_at = now() - interval '31 days'")
    assert ask(reference, "select crawl.purge_jobs()") == 2
    assert ask_rows(reference, "select job_id from crawl.job") == [(run.job_id,)]


def test_a_prefix_that_is_no_address_is_refused(reference: psycopg.Connection) -> None:
    # left out, it would open the whole site
    for prefix in ("not an address", "", "ftp://kent.example/send"):
        with refused(reference, "WC002", "prefix"):
            site(reference, prefixes=[f"{HOME}send", prefix])
