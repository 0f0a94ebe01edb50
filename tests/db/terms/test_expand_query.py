"""terms.expand_query: terms to add; what was typed stays."""

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.db.corpus_fixtures import ask
from tests.timing import best_of_three


def _expand(db: psycopg.Connection, question: str | None) -> list[str]:
    terms: list[str] = ask(db, "select terms.expand_query(%s)", question)
    return terms


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("my son was kicked out", ["exclusion", "permanent exclusion"]),
        ("My son was KICKED  OUT", ["exclusion", "permanent exclusion"]),
        ("he has a statement", ["EHCP"]),
        ("they won't assess my child", ["refusal to assess", "section 36"]),
        ("they won’t assess my child", ["refusal to assess", "section 36"]),
        ("they won´t\u00a0assess my child", ["refusal to assess", "section 36"]),
        (
            "kicked out, and he has a statement",
            ["EHCP", "exclusion", "permanent exclusion"],
        ),
    ],
)
def test_every_synonym_that_fires_adds_its_terms(
    reference: psycopg.Connection, question: str, terms: list[str]
) -> None:
    """F-07."""
    assert _expand(reference, question) == terms


@pytest.mark.parametrize(
    "question",
    [
        "my bank statement",  # the word in another sense
        "a policy statement of the school",
        "she gave a Witness  Statement",
        "statements",  # another word
        "tricked outright",
        "transport costs",
        "",
        "   ",
        None,
    ],
)
def test_a_trap_adds_nothing(reference: psycopg.Connection, question: str | None) -> None:
    assert _expand(reference, question) == []


@given(question=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_expansion_only_adds(reference: psycopg.Connection, question: str) -> None:
    """Every word of the plain query is still in the expanded one, without a label."""
    typed = f"kicked out {question}"
    plain, expanded = (
        ask(
            reference,
            "select array(select regexp_split_to_table(coalesce("
            "terms.build_tsquery(%s, %s::text[])::text, ''), ' \\| '))",
            typed,
            added,
        )
        for added in (None, _expand(reference, typed))
    )
    assert set(plain) <= set(expanded)
    assert "'exclus':D" in expanded or "'exclus'" in plain


def test_a_term_that_two_synonyms_add_comes_once(reference: psycopg.Connection) -> None:
    reference.execute(
        "insert into terms.synonym (pack, pattern, phrases, expansions) "
        "values ('send', %s, 'suspended', '{exclusion}')",
        [r"\ysuspended\y"],
    )
    assert _expand(reference, "suspended, then kicked out") == ["exclusion", "permanent exclusion"]


def test_an_endless_question_is_cut(reference: psycopg.Connection) -> None:
    endless = "kicked out " + "of school " * 200_000
    assert _expand(reference, endless) != []
    assert best_of_three(lambda: _expand(reference, endless)) < 2
