"""terms.identifiers: references and case numbers become tokens that no word can be."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


def _identifiers(db: psycopg.Connection, typed: str) -> set[str]:
    return set(ask(db, "select terms.identifiers(terms.fold_text(%s))", typed))


@pytest.mark.parametrize(
    "typed",
    ["s.36", "s36", "S 36", "s. 36", "section 36", "Section 36", "sec­tion 36", "§36", "§ 36"],
)
def test_every_way_of_writing_a_section_is_one_token(
    reference: psycopg.Connection, typed: str
) -> None:
    """F-02."""
    assert _identifiers(reference, f"the duty under {typed} applies") == {"#s36"}


@pytest.mark.parametrize(
    ("typed", "tokens"),
    [
        ("s.360", {"#s360"}),
        ("s.36A", {"#s36a"}),
        ("Section 4.3", {"#s4.3"}),
        ("section 19(3)(a)", {"#s19", "#s19(3)(a)"}),
        ("ss.38-40", {"#s38", "#s40"}),
        ("sections 36 and 37", {"#s36", "#s37"}),
        ("regulation 5", {"#r5"}),
        ("regs 18–20", {"#r18", "#r20"}),
        ("paragraph 9.69", {"#p9.69"}),
        ("para. 9.69", {"#p9.69"}),
        ("ticket INC-48211", {"#inc-48211"}),
        ("POL-001", {"#pol-001"}),
        ("BCC-POL-014", {"#bcc-pol-014"}),
    ],
)
def test_a_reference_or_a_case_number_is_a_token(
    reference: psycopg.Connection, typed: str, tokens: set[str]
) -> None:
    assert _identifiers(reference, typed) == tokens


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "my son's 5 and she's 15",
        "it’s 3 weeks late",
        "post-16 and covid-19",
        "36 schools",
        "cars 36, pass 3, its 12",
        "r2d2",
        "2024-25",
        "self-help for well-being",
        "part 3",
    ],
)
def test_ordinary_text_holds_no_identifier(reference: psycopg.Connection, typed: str) -> None:
    assert _identifiers(reference, typed) == set()


def test_no_token_is_longer_than_a_hundred_characters(reference: psycopg.Connection) -> None:
    long = "-".join(["abcdefghijkl"] * 5) + "-1234567890"
    assert max(map(len, _identifiers(reference, f"{long} s1" + "(abcd)" * 3))) <= 100
