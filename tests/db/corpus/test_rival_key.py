"""corpus.rival_key, names_edition: a page replaces another address only as an edition of it."""

from datetime import date

import psycopg
import pytest

from tests.corpus import add, stage
from tests.db.corpus_fixtures import ask, ask_rows

SITE = "https://www.kent.example/"
BODY = "The council keeps a local offer of services for children and young people. " * 4


@pytest.mark.parametrize(
    ("title", "is_edition"),
    [
        ("Local offer", False),
        ("Local offer.pdf", False),
        ("Local Offer - what's on", False),
        ("Transport policy 2024", True),
        ("Transport policy (May 2024)", True),
        ("Transport policy v2", True),
        ("Transport policy, second edition", True),
        ("Transport policy: last updated 12/05/2024", True),
        # the year of an act is its name
        ("Education Act 1996", False),
        ("Autumn newsletter", False),
        ("", False),
        (None, False),
    ],
)
def test_a_title_with_a_date_or_a_version_names_an_edition(
    reference: psycopg.Connection, title: str | None, is_edition: bool
) -> None:
    assert ask(reference, "select corpus.names_edition(%s)", title) == is_edition


def live(db: psycopg.Connection) -> list[str]:
    return [
        row[0].removeprefix(SITE)
        for row in ask_rows(
            db,
            "select d.source from corpus.version as v join corpus.document as d"
            " using (document_id) where v.state = 'published' order by 1",
        )
    ]


def test_pages_of_one_site_with_one_title_stand_side_by_side(
    reference: psycopg.Connection,
) -> None:
    for name in ("a", "b"):
        add(reference, BODY + name, source=SITE + name, title="Local offer")
    add(reference, BODY + "a, changed", source=SITE + "a", title="Local offer")
    assert live(reference) == ["a", "b"]
    # and each has a time line of its own
    assert (
        ask(
            reference,
            "select count(*) from corpus.version where state = 'published' and valid_to is null",
        )
        == 2
    )


def test_an_edition_replaces_an_earlier_one_at_another_address(
    reference: psycopg.Connection,
) -> None:
    add(reference, BODY + "2023", source=SITE + "policy-2023", title="Transport policy 2023")
    add(reference, BODY + "2024", source=SITE + "policy-2024", title="Transport policy 2024")
    assert live(reference) == ["policy-2024"]


def test_a_dated_title_that_pages_of_a_site_share_makes_none_an_edition(
    reference: psycopg.Connection,
) -> None:
    for name in ("a", "b", "c"):
        add(reference, BODY + name, source=SITE + name, title="Local offer 2025")
    assert live(reference) == ["a", "b", "c"]
    # the year turns, and one page changes before the others
    add(reference, BODY + "a, new", source=SITE + "a", title="Local offer 2026")
    assert live(reference) == ["a", "b", "c"]


def put_twice(db: psycopg.Connection, title: str) -> None:
    """One text at two addresses, a and b, as two documents: a was about to change, and did not."""
    add(db, BODY, source=SITE + "a", title=title)
    planned = stage(db, BODY + "planned", source=SITE + "a", title=title)
    assert add(db, BODY, source=SITE + "b", title=title).outcome == "staged"
    assert ask(db, "select corpus.discard_version(%s)", planned["version_id"])
    assert live(db) == ["a", "b"]


def test_an_edition_replaces_all_copies_of_the_one_before(reference: psycopg.Connection) -> None:
    put_twice(reference, "Transport policy 2025")
    add(reference, BODY + "new", source=SITE + "c", title="Transport policy 2026")
    assert live(reference) == ["c"]
    assert (
        ask(
            reference,
            "select count(distinct superseded_by) from corpus.version where state = 'superseded'",
        )
        == 1
    )


def test_an_edition_replaces_no_copies_where_another_text_has_their_title(
    reference: psycopg.Connection,
) -> None:
    put_twice(reference, "Local offer 2025")
    add(reference, BODY + "another", source=SITE + "c", title="Local offer 2025")
    assert live(reference) == ["a", "b", "c"]
    add(reference, BODY + "new", source=SITE + "d", title="Local offer 2026")
    assert live(reference) == ["a", "b", "c", "d"]


def test_a_known_day_makes_a_page_an_edition(reference: psycopg.Connection) -> None:
    for year in (2023, 2024):
        add(
            reference,
            f"{BODY}{year}",
            source=f"{SITE}{year}",
            title="Transport policy",
            effective_date=date(year, 9, 1),
        )
    assert live(reference) == ["2024"]


def test_an_edition_does_not_replace_a_page_that_is_none(reference: psycopg.Connection) -> None:
    add(reference, BODY, source=SITE + "offer", title="Local offer")
    add(reference, BODY + "2024", source=SITE + "review", title="Local offer 2024")
    assert live(reference) == ["offer", "review"]


def test_files_that_were_handed_in_replace_each_other_by_title(
    reference: psycopg.Connection,
) -> None:
    for name in ("a.pdf", "b.pdf"):
        add(reference, BODY + name, source=name, title="Transport policy")
    assert live(reference) == ["b.pdf"]
