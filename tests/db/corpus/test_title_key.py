"""corpus.title_key: which titles are one document over the years."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


def _key(db: psycopg.Connection, title: str | None) -> str | None:
    key: str | None = ask(db, "select corpus.title_key(%s::text)", title)
    return key


@pytest.mark.parametrize(
    "title",
    [
        "SEND Policy",
        "SEND policy 2024",
        "SEND Policy 2024-25",
        "SEND Policy 2023/2024",
        "SEND policy (draft)",
        "SEND Policy - FINAL",
        "SEND Policy v2",
        "SEND Policy v2.1 updated March 2025",
        "SEND Policy, version 1.3",
        "Send_Policy",
        "send_policy_v2_FINAL",
        "SEND Policy 2024 final draft",
        "ＳＥＮＤ　Ｐｏｌｉｃｙ",
        "SE\u00adND Policy\u200b",
        "  send   policy  ",
        "SEND Policy 12/05/2024",
        "SEND Policy 12.05.24",
        "SEND Policy 2024-09-01",
        "SEND Policy 20240901.pdf",
        "SEND Policy 12 May 2024",
        "SEND Policy - 1st of September 2024",
        "September 1st, 2024: SEND Policy",
        "SEND Policy Sept 2024",
        "SEND Policy Sep-24",
        "SEND Policy (autumn term 2024)",
        "SEND Policy 2024 to 2025",
        "SEND Policy, second edition",
        "SEND Policy (revised)",
        "SEND Policy, last reviewed 3 March 2024",
        "SEND Policy (1)",
        "Copy of SEND Policy",
    ],
)
def test_dates_and_version_words_do_not_make_another_title(
    reference: psycopg.Connection, title: str
) -> None:
    assert _key(reference, title) == "send policy"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SEND Policy", "SEND Policies"),
        ("Section 19 duty", "Section 42 duty"),
        ("Year 5 admissions", "Year 6 admissions"),
        ("Transport policy", "Exclusion policy"),
        ("The draft EHC plan", "The final EHC plan"),  # stages of the process, not of the text
        ("Education Act 1996", "Education Act 2002"),  # both are law
        ("SEND Regulations 2014", "SEND Regulations 2015"),
        ("The Special Schools (England) Regulations 2014", "The Special Schools Regulations 2014"),
        ("Tribunal Procedure (HESC) Rules 2008", "Tribunal Procedure (HESC) Rules 2013"),
        ("Newsletter May", "Newsletter June"),
        ("What you may ask", "What you ask"),
        ("Travel for ages 5-16", "Travel for ages 16-19"),
        ("Summer activities", "Winter activities"),
        ("Copying plans", "Plans"),
    ],
)
def test_what_is_no_date_tells_titles_apart(
    reference: psycopg.Connection, one: str, other: str
) -> None:
    assert _key(reference, one) != _key(reference, other)


def test_accents_compose_to_one_title(reference: psycopg.Connection) -> None:
    assert _key(reference, "Cafe\u0301 rota") == _key(reference, "CAFÉ ROTA") == "café rota"


def test_capitals_that_lower_in_another_way_compose_to_one_title(
    reference: psycopg.Connection,
) -> None:
    """J-08: the German sharp s."""
    titles = ("Straße safety", "STRASSE SAFETY", "STRAẞE Safety")
    assert {_key(reference, title) for title in titles} == {"strasse safety"}


def test_a_word_that_only_begins_like_a_generic_one_is_kept(reference: psycopg.Connection) -> None:
    assert _key(reference, "Home-to-school transport") == "home to school transport"
    assert _key(reference, "Index of needs") == "index of needs"


@pytest.mark.parametrize(
    "title",
    [
        None,
        "",
        "   ",
        "Home",
        "OVERVIEW",
        "Overview 2024",
        "untitled",
        "Untitled Document",
        "Policy",
        "Policy (final) 2024",
        "Draft",
        "Contact us",
        "FAQs",
        "2024",
        "v2",
        "!!!",
        "12/05/2024",
        "AB",
        "Minutes 12 May 2024",
        "Home | Kent County Council",
        "Hollybrook Primary School - Home",
        "Welcome to Hollybrook Primary School",
        "Page not found",
        "1. Introduction",
        "2.1 The law",
        "Executive summary",
        "Table of Contents",
        "Copy",
    ],
)
def test_a_generic_title_has_no_key(reference: psycopg.Connection, title: str | None) -> None:
    assert _key(reference, title) is None


@pytest.mark.parametrize("letters", ["𐐀", "㌀㌁㌂㌃", "ﷺ"])
def test_the_key_of_an_endless_title_fits_an_index(
    reference: psycopg.Connection, letters: str
) -> None:
    key = _key(reference, letters * 100_000)
    assert key is not None
    assert len(key.encode()) < 2600
