"""The signs that need no model: shared words, phrases of the pack, and what a question asks for."""

import pytest

from providers.passages import Piece
from providers.relevance import cues, likeness, named, says_the_same, shared_words, words


def piece(text: str, topic: str = "") -> Piece:
    return Piece(text, text, topic)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("issue", "issued"),
        ("issues", "issuing"),
        ("plan", "planned"),
        ("policy", "policies"),
        ("assess", "assessments"),
        ("school's", "schools"),
        ("apply", "applied"),
        ("appeal", "appealing"),
    ],
)
def test_forms_of_a_word_are_one_word(one: str, other: str) -> None:
    assert words(one) == words(other) != set()


def test_words_of_every_question_carry_nothing() -> None:
    assert words("What can I do about my son, please?") == set()


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    found = [piece("the plan"), piece("a plan"), piece("one plan"), piece("the taxi")]
    shares = shared_words("a taxi in the plan", found)
    assert shares[3] > shares[0] > 0


def test_words_that_no_piece_holds_lower_the_share() -> None:
    found = [piece("The disabled child's benefits")]
    assert shared_words("disabled", found) == [1.0]
    assert shared_words("a television licence for the disabled", found)[0] < 0.5


def test_the_topic_of_a_piece_counts_as_its_words() -> None:
    assert shared_words("transport", [piece("Apply by May.", topic="School transport")]) == [1.0]


@pytest.mark.parametrize("question", ["", "???", "who are you"])
def test_a_question_without_words_shares_none(question: str) -> None:
    assert shared_words(question, [piece("The plan is late.")]) == [0.0]
    assert shared_words(question, []) == []


def test_phrases_are_found_whole_whatever_their_case_and_marks() -> None:
    phrases = ["First-tier Tribunal (SEND)", "section 1"]
    assert named(phrases, "Go to the first-tier\ntribunal (send).") == 0.5
    assert named(phrases, "See section 12.") == 0
    assert named(["a b", "c", "d"], "a b c d") == 1


@pytest.mark.parametrize(
    ("question", "given", "other"),
    [
        ("How long does it take?", "It takes 20 weeks.", "It takes a while."),
        ("When is it open?", "Open on Tuesdays.", "Open to everybody."),
        ("How many pupils have a plan?", "Sixty-eight pupils have one.", "Some pupils have one."),
        ("How far is too far?", "Over two miles.", "After two weeks."),
        ("How much does it cost?", "It costs £3 a session.", "It costs little."),
        ("How much is mediation?", "Mediation is free.", "Mediation is kind."),
        ("Who can I ring?", "Ring 0000 000 310.", "Ring the school."),
        ("How do I ask?", "Write to the council.", "The council wrote."),
    ],
)
def test_what_a_question_asks_for_is_recognised(question: str, given: str, other: str) -> None:
    assert cues(question, given) > cues(question, other) == 0


def test_likeness_is_of_words_and_not_of_order() -> None:
    assert likeness("The council decides.", "Decided: the councils!") == 1
    assert likeness("The council decides.", "A school bus.") == 0
    assert likeness("", "") == 0


def test_two_limits_do_not_say_the_same_for_all_their_words() -> None:
    one = "The board must meet within 15 school days."
    assert says_the_same(one, "Within 15 school days the board must meet.")
    assert not says_the_same(one, one.replace("15", "50"))
