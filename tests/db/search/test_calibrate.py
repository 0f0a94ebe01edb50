"""search.calibrate: the bound between exact scans and the index is measured, not guessed."""

from typing import Any

import psycopg
import pytest

from tests.rows import rows_of, value_of
from tests.sandbox import refused


def installed(db: psycopg.Connection[Any]) -> str | None:
    found: str | None = value_of(
        db, "select installed_value from config.setting where name = 'kb.exact_limit'"
    )
    return found


def test_a_dry_run_measures_and_installs_nothing(large: psycopg.Connection[Any]) -> None:
    before = installed(large)
    (row,) = rows_of(large, "search.calibrate(5, true)")
    assert row["index_ms"] > 0
    assert row["exact_ms_per_thousand"] > 0
    assert row["measured_chunks"] >= 1000
    assert not row["installed"]
    assert installed(large) == before


def test_what_was_measured_is_installed_within_bounds(large: psycopg.Connection[Any]) -> None:
    (row,) = rows_of(large, "search.calibrate(5)")
    assert 2000 <= row["exact_limit"] <= 100_000
    assert installed(large) == str(row["exact_limit"])
    expected = 2000 * row["index_ms"] / row["exact_ms_per_thousand"]
    assert row["exact_limit"] == pytest.approx(min(100_000, max(2000, expected)), abs=1)


def test_too_small_a_corpus_is_refused(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "SE004"):
        kb.execute("select search.calibrate()")
