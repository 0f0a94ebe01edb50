"""corpus.load_ranks: how much each kind of publisher weighs."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import RANKS
from tests.db.corpus_fixtures import ask, ask_rows, refused


def _load(db: psycopg.Connection, *rows: dict[str, Any]) -> int:
    count: int = ask(db, "select corpus.load_ranks('send', %s)", Jsonb(list(rows)))
    return count


def test_loading_again_corrects_a_weight_and_keeps_the_others(
    reference: psycopg.Connection,
) -> None:
    assert _load(reference, {"authority": "charity", "weight": 0.9, "meaning": "Advice"}) == 1
    rows = ask_rows(reference, "select authority, weight from corpus.authority_rank")
    weights: dict[str, float] = dict(rows)
    assert weights == {r["authority"]: r["weight"] for r in RANKS} | {"charity": 0.9}


@pytest.mark.parametrize(
    "row",
    [
        {"authority": "x", "weight": 0.49},
        {"authority": "x", "weight": 2.01},
        {"authority": "x", "weight": None},
        {"authority": "x"},
        {"authority": "", "weight": 1},
        {"weight": 1},
        {"authority": "  ", "weight": 1},
        {"authority": "x", "weight": "heavy"},
        {"authority": "x", "weight": "NaN"},
        {"authority": "x", "weight": [1]},
        {"authority": "x", "weight": 1e300},
    ],
)
def test_a_weight_that_is_not_mild_is_refused_and_nothing_is_stored(
    reference: psycopg.Connection, row: dict[str, Any]
) -> None:
    with refused(reference, "KB008", "0.5 to 2"):
        _load(reference, {"authority": "fine", "weight": 1}, row)
    assert ask(reference, "select count(*) from corpus.authority_rank") == len(RANKS)


def test_two_weights_of_one_kind_are_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "KB008", "fine", "two rows"):
        _load(reference, {"authority": "fine", "weight": 1}, {"authority": "fine", "weight": 1})
