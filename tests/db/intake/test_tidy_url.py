"""intake.tidy_url: one spelling where every server sees one page (C-06)."""

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.db.corpus_fixtures import ask


@pytest.mark.parametrize(
    ("given_url", "tidy"),
    [
        ("HTTPS://Www.Kent.Gov.UK", "https://www.kent.gov.uk/"),
        ("http://kent.gov.uk:80/A?b=C#part", "http://kent.gov.uk/A?b=C"),
        ("https://kent.gov.uk:443", "https://kent.gov.uk/"),
        ("https://kent.gov.uk:80/", "https://kent.gov.uk:80/"),
        ("http://kent.gov.uk:/x", "http://kent.gov.uk/x"),
        ("http://kent.gov.uk?x=1", "http://kent.gov.uk/?x=1"),
        (" https://kent.gov.uk/a b\t", "https://kent.gov.uk/a b"),
        ("https://kent.gov.uk/#", "https://kent.gov.uk/"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
    ],
)
def test_spellings_of_one_page_are_one(
    reference: psycopg.Connection, given_url: str, tidy: str
) -> None:
    assert ask(reference, "select intake.tidy_url(%s)", given_url) == tidy
    assert ask(reference, "select intake.tidy_url(%s)", tidy) == tidy


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "kent.gov.uk",
        "ftp://kent.gov.uk/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https:///x",
        "https://user:secret@kent.gov.uk/",
        "https://kent.gov.uk\\@evil.example/",
        "https://kent gov.uk/",
        "https://kent.gov.uk/a\nb",
        "https://kent.gov.uk/" + "a" * 2000,
    ],
)
def test_what_is_no_address_of_the_web_is_null(
    reference: psycopg.Connection, url: str | None
) -> None:
    assert ask(reference, "select intake.tidy_url(%s)", url) is None


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tidying_twice_changes_nothing(reference: psycopg.Connection, rest: str) -> None:
    once = ask(reference, "select intake.tidy_url(%s)", f"Http://Kent.gov.uk{rest}")
    assert once is None or ask(reference, "select intake.tidy_url(%s)", once) == once
