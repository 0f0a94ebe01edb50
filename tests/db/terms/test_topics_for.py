"""terms.topics_for: what a question is about, which may be several things."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("excluded, and the taxi was stopped", ["exclusion", "transport"]),
        (
            "Home to school TRANSPORT in the EHC\u00a0plan after a suspension",
            ["ehcp", "exclusion", "transport"],
        ),
        ("he was kicked  out", ["exclusion"]),
        ("taxis", []),  # the pattern asks for the whole word
        ("what is the of", []),
        ("", []),
        (None, []),
    ],
)
def test_a_question_has_every_topic_whose_pattern_fits(
    reference: psycopg.Connection, question: str | None, topics: list[str]
) -> None:
    assert ask(reference, "select terms.topics_for(%s)", question) == topics
