"""terms.load_synonyms: the synonyms of a pack are replaced as a whole."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import SYNONYMS
from tests.db.corpus_fixtures import ask, ask_rows, refused

GOOD = {"pattern": r"\ytaxi\y", "phrases": "taxi", "expansions": ["transport"]}


def _load(db: psycopg.Connection, *rows: dict[str, Any], pack: str = "send") -> int:
    count: int = ask(db, "select terms.load_synonyms(%s, %s)", pack, Jsonb(list(rows)))
    return count


def _patterns(db: psycopg.Connection, pack: str = "send") -> set[str]:
    rows = ask_rows(db, "select pattern from terms.synonym where pack = %s", pack)
    return {row[0] for row in rows}


def test_a_load_replaces_the_rows_of_its_pack_and_no_other(
    reference: psycopg.Connection,
) -> None:
    assert _load(reference, GOOD, pack="other") == 1
    assert _load(reference, GOOD) == 1
    assert _patterns(reference) == {GOOD["pattern"]}
    assert _load(reference) == 0
    assert _patterns(reference) == set()
    assert _patterns(reference, "other") == {GOOD["pattern"]}


def test_optional_columns_may_be_left_out(reference: psycopg.Connection) -> None:
    _load(reference, GOOD | {"unless": "", "citation": None})
    assert ask_rows(reference, "select unless, citation, caution from terms.synonym") == [
        (None, "", "")
    ]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"pattern": "("}, "TE001"),
        ({"pattern": ""}, "TE001"),
        ({"pattern": None}, "TE001"),
        ({"pattern": "a|"}, "TE001"),
        ({"unless": "("}, "TE001"),
        ({"unless": ".*"}, "TE001"),
        ({"pattern": GOOD["pattern"]}, "TE001"),  # a second time
        ({"expansions": []}, "TE002"),
        ({"expansions": None}, "TE002"),
        ({"expansions": "transport"}, "TE002"),
        ({"expansions": {"a": "transport"}}, "TE002"),
        ({"expansions": ["transport", None]}, "TE002"),
        ({"expansions": ["transport", " "]}, "TE002"),
        ({"expansions": [["transport"], ["bus"]]}, "TE002"),
        ({"expansions": [7]}, "TE002"),
        ({"phrases": ""}, "TE002"),
    ],
)
def test_a_bad_row_is_refused_and_the_old_rows_stay(
    reference: psycopg.Connection, row: dict[str, Any], code: str
) -> None:
    before = _patterns(reference)
    with refused(reference, code):
        _load(reference, GOOD, GOOD | {"pattern": "bus"} | row)
    assert _patterns(reference) == before
    assert len(before) == len(SYNONYMS)


def test_every_load_makes_older_cached_questions_unusable(
    reference: psycopg.Connection,
) -> None:
    before = ask(reference, "select embedding.expansion_revision()")
    _load(reference, GOOD)
    assert ask(reference, "select embedding.expansion_revision()") > before
