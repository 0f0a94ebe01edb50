"""terms.fold_text: one spelling for matching."""

import unicodedata

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.db.corpus_fixtures import ask

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def _fold(db: psycopg.Connection, content: str | None) -> str | None:
    folded: str | None = ask(db, "select terms.fold_text(%s::text)", content)
    return folded


@pytest.mark.parametrize(
    "typed",
    [
        "they won't assess",
        "they won’t assess",  # a phone's keyboard
        "they won‘t assess",
        "they wonʼt assess",
        "they won´t assess",  # an acute accent, which NFKC alone would take apart
        "they won`t assess",
        "they won′t assess",
        "they won＇t assess",
        "they won't\u00a0assess",
        "they  won't\t assess ",
        "\ufeffthey won't\r\nassess",
        "THEY WON'T ASSESS",
        "they won't as\u00adsess",
        "they won't as\u200bsess",
        "they won't as\u2060sess",
        "they won't as-\nsess",
        "they won't as-\r\n   sess",
        "they won't \U000e0061\U000e0062assess",
        "ｔｈｅｙ　ｗｏｎ't ａｓｓｅｓｓ",
    ],
)
def test_every_way_of_typing_folds_to_one_spelling(
    reference: psycopg.Connection, typed: str
) -> None:
    """F-07, P-01."""
    assert _fold(reference, typed) == "they won't assess"


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("speciﬁc", "specific"),
        ("“plan” „plan‟ ″plan″", '"plan" "plan‟ "plan"'),
        ("a–b — c − d", "a-b - c - d"),
        ("Birmingham-\nBased", "birmingham- based"),  # a capital begins a word of its own
        ("post-16 provision", "post-16 provision"),
        ("", ""),
        (" \t\n\u00a0", ""),
        ("café", "café"),
        ("cafe\u0301", "café"),
        ("J\u030c", "\u01f0"),  # joins with its mark only as a small letter
        ("½ m² ℡", "1⁄2 m2 tel"),
    ],
)
def test_folding_is_for_matching(reference: psycopg.Connection, typed: str, folded: str) -> None:
    assert _fold(reference, typed) == folded


def test_no_text_folds_to_none(reference: psycopg.Connection) -> None:
    assert _fold(reference, None) is None


@given(typed=TEXT)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_folding_twice_is_folding_once(reference: psycopg.Connection, typed: str) -> None:
    once = _fold(reference, typed)
    assert once is not None
    assert _fold(reference, once) == once
    assert "  " not in once
    assert unicodedata.is_normalized("NFKC", once)


@given(typed=TEXT)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_composed_and_decomposed_text_fold_to_one_spelling(
    reference: psycopg.Connection, typed: str
) -> None:
    assert _fold(reference, unicodedata.normalize("NFC", typed)) == _fold(
        reference, unicodedata.normalize("NFD", typed)
    )
