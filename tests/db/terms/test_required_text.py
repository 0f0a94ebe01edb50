"""terms.required_text: plain text decides which patterns are tried, and never misses one."""

import re
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.packs.files import read_pack
from tests.conftest import REPOSITORY
from tests.rows import value_of

SEND = REPOSITORY / "packs" / "send"


def required(db: psycopg.Connection[Any], pattern: str) -> list[str] | None:
    found: list[str] | None = value_of(db, "select terms.required_text(%s)", [pattern])
    return found


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"\mkicked out\M", ["%kicked out%"]),
        (r"exclu(ded|sion)", ["%exclu%"]),
        (r"\m(tribunal|sendist)\M", ["%sendist%", "%tribunal%"]),
        (r"(extra|more) (help|support) in school", ["% in school%"]),
        (r"(?:early|emergency) review", ["% review%"]),
        # what may be left out is not required
        (r"sections?", ["%section%"]),
        (r"(home )?tuition", ["%tuition%"]),
        (r"(xy){0,2}tuition", ["%tuition%"]),
        (r"colou*r", ["%colo%"]),
        (r"colou+r", ["%colou%"]),
        # nor what must not be there, nor what merely stands around
        (r"college(?! of arms)", ["%college%"]),
        (r"(?<!bank )statement", ["%statement%"]),
        # a class is no text; an escaped sign is
        (r"[a-c)|]+late", ["%late%"]),
        (r"[[:alpha:])]late", ["%late%"]),
        (r"24\.7 care", ["%24.7 care%"]),
        (r"100\% of_it", [r"%100\% of\_it%"]),
        (r"\mSEND\M", ["%send%"]),
        # an alternative without a text, or too short a one: nothing is sure
        (r"tribunal|\w+s", None),
        (r"a|tribunal", None),
        (r"\d+", None),
        (r"(?x) tri bunal", None),
        (r"***=tribunal", None),
    ],
)
def test_what_a_pattern_needs_is_found(
    kb: psycopg.Connection[Any], pattern: str, texts: list[str] | None
) -> None:
    assert required(kb, pattern) == texts


# pieces that patterns of packs are made of
_PIECES = st.sampled_from(
    ["plan", "no ", "it", "x", r"\m", r"\M", r"\w", r"\d", "[ab]", "[^ab]", ".", r"\.", " ", "s?",
     "s*", "e+", "o{1,2}", "(?!x)", "(an? )?", "(ab|cd)", "(ab|c)", "(?:no|it)", "(no|(it|my)x)"]
)  # fmt: skip
_PATTERNS = st.lists(
    st.lists(_PIECES, min_size=1, max_size=4).map("".join), min_size=1, max_size=3
).map("|".join)
_TEXTS = st.text("abcdenoitplsxmy .12", max_size=30)


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pattern=_PATTERNS, text=_TEXTS)
def test_no_text_that_a_pattern_matches_lacks_what_it_needs(
    kb: psycopg.Connection[Any], pattern: str, text: str
) -> None:
    assert value_of(
        kb,
        "select (%(text)s ~* %(pattern)s) is not true or r is null or %(text)s like any(r) "
        "from terms.required_text(%(pattern)s) as r",
        {"pattern": pattern, "text": text},
    )


@pytest.fixture(scope="module")
def patterns() -> list[str]:
    pack = read_pack(SEND)
    return [str(row.values["pattern"]) for row in (*pack.synonyms, *pack.topics)]


def test_almost_every_pattern_of_the_pack_says_what_it_needs(
    kb: psycopg.Connection[Any], patterns: list[str]
) -> None:
    assert len(patterns) > 150
    # the rest ("1:1", "d[cm]o") has an alternative of single signs and is always tried
    assert len([p for p in patterns if not required(kb, p)]) <= 2


def test_few_patterns_of_the_pack_are_tried_for_a_question(
    kb: psycopg.Connection[Any], patterns: list[str]
) -> None:
    tried = value_of(
        kb,
        "select count(*) from unnest(%s::text[]) as p where %s like any(terms.required_text(p))",
        [patterns, "my son was kicked out of school and they won't assess him"],
    )
    assert 1 <= tried <= len(patterns) // 4


def test_the_words_of_the_pack_are_those_found_without_the_short_cut(
    kb: psycopg.Connection[Any], patterns: list[str], asked: list[str]
) -> None:
    for text in asked:
        missed = value_of(
            kb,
            "select array_agg(p) from unnest(%s::text[]) as p where terms.fold_text(%s) ~* p "
            "and not terms.fold_text(%s) like any(terms.required_text(p))",
            [patterns, text, text],
        )
        assert missed is None, text


@pytest.fixture(scope="module")
def asked() -> list[str]:
    """What the table of synonyms says people say, and what the judged questions ask."""
    phrases = (SEND / "synonyms.tsv").read_text(encoding="utf-8")
    return [re.sub(r"\W+", " ", line.split("\t")[1]) for line in phrases.splitlines()[1:]]
