"""The view config.settings: every setting with its value, and where it comes from."""

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows


def test_every_setting_has_a_meaning(reference: psycopg.Connection) -> None:
    assert (
        ask(reference, "select count(*) from config.settings where meaning !~ %s", r"\w+ \w+") == 0
    )
    names = {row[0] for row in ask_rows(reference, "select name from config.settings")}
    assert {
        "kb.rrf_k",
        "kb.relevance_threshold",
        "kb.retrieval_floor",
        "kb.top_k",
        "kb.candidates",
        "kb.chunk_expansion_enabled",
        "kb.visible_statuses",
    } <= names


def test_the_view_says_where_each_value_comes_from(reference: psycopg.Connection) -> None:
    reference.execute("select config.install_setting('kb.top_k', '5')")
    reference.execute("select config.install_setting('kb.candidates', '80')")
    reference.execute("set local kb.candidates = 90")
    shown = {
        name: (value, default, source)
        for name, value, default, source in ask_rows(
            reference, "select name, value, default_value, source from config.settings"
        )
    }
    assert shown["kb.rrf_k"] == ("60", "60", "default")
    assert shown["kb.top_k"] == ("5", "10", "installed")
    assert shown["kb.candidates"] == ("90", "50", "session or role")
    assert shown["kb.relevance_threshold"] == (None, None, "embedding set")
