"""chat.standalone_question: what a follow-up leans on, and never another topic's words."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask

APPEAL = "My EHC plan was refused, how do I appeal?"
EXCLUDED = "My son was excluded from school, what can I do?"
DAYS = "How many days can a head teacher exclude for?"


def standalone(db: psycopg.Connection, question: str, *earlier: str) -> str:
    found: str = ask(db, "select chat.standalone_question(%s, %s)", question, list(earlier))
    return found


@pytest.mark.parametrize(
    "question",
    [
        "and how long does that take?",
        "What about a letter?",
        "How do they decide it?",
        "Why?",
        "how long?",
        "can they refuse?",
    ],
)
def test_a_question_that_points_at_something_takes_it_along(
    reference: psycopg.Connection, question: str
) -> None:
    assert standalone(reference, question, APPEAL) == f"{APPEAL} {question}"


@pytest.mark.parametrize(
    "question",
    [
        "and what about transport?",
        "What about a taxi?",
        "And does it also cover transport to college?",
        "transport?",
    ],
)
def test_a_question_that_names_a_topic_of_its_own_takes_nothing(
    reference: psycopg.Connection, question: str
) -> None:
    assert standalone(reference, question, APPEAL, EXCLUDED) == question
    # nor from a question about nothing the pack knows
    assert standalone(reference, question, "Who runs the swimming pool in town?") == question


def test_a_question_on_the_same_topic_takes_the_earlier_one_along(
    reference: psycopg.Connection,
) -> None:
    question = "and how long may the exclusion last?"
    assert standalone(reference, question, EXCLUDED) == f"{EXCLUDED} {question}"
    # but not one that is about more
    both = "He was excluded and has no EHC plan, what now?"
    assert standalone(reference, question, both) == question


def test_a_question_that_says_all_stands_alone(reference: psycopg.Connection) -> None:
    for question in (
        "Who pays for speech therapy in school?",
        "My daughter cries every morning before school and they will not help her with it at all",
        "Can he stay at home on Fridays with his grandmother?",
    ):
        assert standalone(reference, question, APPEAL) == question


def test_a_chain_leans_on_its_first_question_and_does_not_grow(
    reference: psycopg.Connection,
) -> None:
    asked = [APPEAL, "and how long does that take?", "what if they say no?"]
    assert standalone(reference, "and then?", *asked) == f"{APPEAL} and then?"


def test_a_chain_begins_anew_with_a_new_topic(reference: psycopg.Connection) -> None:
    asked = [APPEAL, "and what about transport?"]
    assert standalone(reference, "who decides it?", *asked) == (
        "and what about transport? who decides it?"
    )


def test_the_first_question_is_itself(reference: psycopg.Connection) -> None:
    assert standalone(reference, " and then? ") == "and then?"
    assert ask(reference, "select chat.standalone_question('why?', null)") == "why?"


def test_curly_quotes_and_case_change_nothing(reference: psycopg.Connection) -> None:
    assert standalone(reference, "AND  TRANSPORT?", APPEAL) == "AND  TRANSPORT?"
    assert standalone(reference, "What’s that?", APPEAL) == f"{APPEAL} What’s that?"


def test_what_is_added_leaves_room_for_the_question(reference: psycopg.Connection) -> None:
    long = "Who pays for speech therapy? " * 100
    assert standalone(reference, "and that?", long).endswith(" and that?")
    assert len(standalone(reference, "and that?", long)) < 600
