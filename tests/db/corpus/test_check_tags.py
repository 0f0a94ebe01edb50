"""corpus.check_tags: a tag is the slug of a topic."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, refused


@pytest.mark.parametrize(
    ("tags", "clean"),
    [
        ([], []),
        (None, []),
        (["transport"], ["transport"]),
        ([" Transport ", "EHCP", "transport"], ["ehcp", "transport"]),
        (["", "  ", None, "ehcp"], ["ehcp"]),
    ],
)
def test_tags_are_trimmed_sorted_and_each_once(
    reference: psycopg.Connection, tags: list[str | None] | None, clean: list[str]
) -> None:
    assert ask(reference, "select corpus.check_tags(%s::text[])", tags) == clean


@pytest.mark.parametrize("tag", ["transprot", "Exclusion policy", "'; drop"])
def test_an_unknown_tag_is_refused_by_name(reference: psycopg.Connection, tag: str) -> None:
    with refused(reference, "KB002", tag.lower(), "terms.topic"):
        reference.execute("select corpus.check_tags(%s)", [["ehcp", tag]])
