"""corpus.check_rank: the kinds of publisher are the pack's."""

import psycopg
import pytest

from tests.db.corpus_fixtures import refused


@pytest.mark.parametrize("authority", ["statutory", "la", None])
def test_a_known_kind_is_taken(reference: psycopg.Connection, authority: str | None) -> None:
    reference.execute("select corpus.check_rank(%s::text)", [authority])


@pytest.mark.parametrize("authority", ["blog", "", "Statutory"])
def test_an_unknown_kind_is_refused_and_the_known_are_named(
    reference: psycopg.Connection, authority: str
) -> None:
    with refused(
        reference, "KB004", f'"{authority}"', "statutory, la, charity, school, user_upload"
    ):
        reference.execute("select corpus.check_rank(%s)", [authority])


def test_without_any_pack_the_hint_says_to_load_one(db: psycopg.Connection) -> None:
    with refused(db, "KB004", "pack"):
        db.execute("select corpus.check_rank('statutory')")
