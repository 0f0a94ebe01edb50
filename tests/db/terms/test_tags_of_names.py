"""terms.tags_of_names: folders that people name after topics become tags, others never."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask_rows


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("transport", "transport"),
        ("Transport", "transport"),
        ("02 - TRANSPORT", "transport"),
        ("EHC plans", "ehcp"),
        ("ehc_plans", "ehcp"),
        ("Ehcp", "ehcp"),
        ("transports", None),
        ("my transport", None),
        ("2024", None),
        ("…", None),
        ("", None),
    ],
)
def test_a_name_means_a_topic_by_slug_or_by_name(
    reference: psycopg.Connection, name: str, slug: str | None
) -> None:
    assert ask_rows(reference, "select * from terms.tags_of_names(%s)", [name]) == [(name, slug)]


def test_each_name_is_told_once_and_nothing_comes_of_nothing(
    reference: psycopg.Connection,
) -> None:
    names = ["b", "transport", "b", None]
    assert ask_rows(reference, "select * from terms.tags_of_names(%s)", names) == [
        ("b", None),
        ("transport", "transport"),
    ]
    assert ask_rows(reference, "select * from terms.tags_of_names(null)") == []
