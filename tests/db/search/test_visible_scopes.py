"""search.visible_scopes: rule 1, who may see what, before any text is looked at."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import AUTHORITIES, add
from tests.rows import rows_of, value_of
from tests.sandbox import refused


def visible(db: psycopg.Connection[Any], **asked: Any) -> dict[str, str]:
    """Source to label of all that is visible."""
    rows = db.execute(
        "select d.source, s.label from search.visible_scopes(la => %(la)s, home_la => %(home_la)s, "
        "urn => %(urn)s, principals => %(principals)s, everywhere => %(everywhere)s) as s "
        "join corpus.document as d on d.scope_id = s.scope_id",
        {"la": None, "home_la": None, "urn": None, "principals": None, "everywhere": False} | asked,
    ).fetchall()
    assert len(rows) == len({row[0] for row in rows}), "a scope is there once"
    return dict(rows)


def test_without_an_authority_only_national_text_is_visible(
    scoped: psycopg.Connection[Any],
) -> None:
    assert visible(scoped) == {"national": "national"}
    assert visible(scoped, la="", home_la=" ", urn="") == {"national": "national"}


def test_an_authority_sees_its_own_and_national_text(scoped: psycopg.Connection[Any]) -> None:
    assert visible(scoped, la="E08000025") == {"national": "national", "birmingham": "la"}


def test_a_child_across_the_border_sees_both_authorities(scoped: psycopg.Connection[Any]) -> None:
    assert visible(scoped, la="E08000025", home_la="E10000016") == {
        "national": "national",
        "birmingham": "la",
        "kent": "home_la",
    }
    assert visible(scoped, home_la="E10000016") == {"national": "national", "kent": "home_la"}


def test_the_same_home_authority_adds_nothing(scoped: psycopg.Connection[Any]) -> None:
    assert visible(scoped, la="E10000016", home_la="E07000106") == {
        "national": "national",
        "kent": "la",
    }


def test_a_school_is_visible_to_itself_alone(scoped: psycopg.Connection[Any]) -> None:
    assert visible(scoped, la="E08000025", urn="990001") == {
        "national": "national",
        "birmingham": "la",
        "hollybrook": "school",
    }
    assert visible(scoped, urn="990003") == {"national": "national", "weald": "school"}


def test_private_text_is_visible_to_its_owner_and_those_it_is_shared_with(
    scoped: psycopg.Connection[Any],
) -> None:
    shared = {"national": "national", "ann-bob": "shared"}
    assert visible(scoped, principals=["ann"]) == shared | {"ann": "shared"}
    assert visible(scoped, principals=["bob"]) == shared
    assert visible(scoped, principals=["someone", "team:x"]) == shared
    assert visible(scoped, principals=["cid"]) == {"national": "national", "cid": "shared"}


@pytest.mark.parametrize("principals", [[], [""], [None], ["ANN"], ["an"], ["ann,bob"], ["%"]])
def test_nobody_else_sees_private_text(
    scoped: psycopg.Connection[Any], principals: list[str | None]
) -> None:
    assert visible(scoped, principals=principals, la="E10000016") == {
        "national": "national",
        "kent": "la",
    }


def test_everywhere_is_every_authority_but_no_school_and_nothing_private(
    scoped: psycopg.Connection[Any],
) -> None:
    assert visible(scoped, everywhere=True) == {
        "national": "national",
        "birmingham": "la",
        "kent": "la",
        "barnsley": "la",
        "cumbria": "la",
    }


def test_old_and_new_code_of_an_authority_see_the_same(scoped: psycopg.Connection[Any]) -> None:
    seen = {"national": "national", "barnsley": "la"}
    assert visible(scoped, la="E08000016") == visible(scoped, la="E08000038") == seen
    assert visible(scoped, la="370") == seen


def test_text_stored_under_a_code_that_ended_later_is_still_seen(
    kb: psycopg.Connection[Any],
) -> None:
    living = {"gss": "E08000016", "dfe_code": "370", "name": "Barnsley"}
    kb.execute("select place.load_authorities(%s)", [Jsonb([living])])
    add(kb, "Barnsley text of before.", source="before", la_code="E08000016")
    assert value_of(kb, "select la_code from corpus.scope where kind = 'la'") == "E08000016"
    kb.execute("select place.load_authorities(%s)", [Jsonb(AUTHORITIES)])
    add(kb, "Barnsley text of today.", source="today", la_code="E08000016")
    seen = {"before": "la", "today": "la"}
    assert visible(kb, la="E08000016") == visible(kb, la="E08000038") == seen


def test_text_of_a_split_authority_is_seen_by_each_that_took_over(
    scoped: psycopg.Connection[Any],
) -> None:
    seen = {"national": "national", "cumbria": "la"}
    assert visible(scoped, la="E06000063") == visible(scoped, la="E06000064") == seen


def test_the_split_authority_itself_cannot_be_asked_for(scoped: psycopg.Connection[Any]) -> None:
    with refused(scoped, "PL003") as caught:
        scoped.execute("select search.visible_scopes(la => 'E10000006')")
    assert "E06000063" in (caught.value.diag.message_detail or "")


@pytest.mark.parametrize("code", ["E99999999", "Birmingham", "'; drop table x; --", "E0800002"])
def test_an_unknown_authority_is_refused(kb: psycopg.Connection[Any], code: str) -> None:
    with refused(kb, "PL001"):
        kb.execute("select search.visible_scopes(la => %s)", [code])
    with refused(kb, "PL001") as caught:
        kb.execute("select search.visible_scopes(home_la => %s)", [code])
    assert caught.value.diag.message_hint


@pytest.mark.parametrize("urn", ["123456", "9", "99000l", "990001 or true"])
def test_an_unknown_school_is_refused(kb: psycopg.Connection[Any], urn: str) -> None:
    with refused(kb, "PL002") as caught:
        kb.execute("select search.visible_scopes(urn => %s)", [urn])
    assert caught.value.diag.message_hint


def test_the_size_of_a_scope_is_its_searchable_chunks(scoped: psycopg.Connection[Any]) -> None:
    add(scoped, "More national text.", source="more")
    rows = rows_of(scoped, "search.visible_scopes('E08000025')")
    assert {row["label"]: row["chunks"] for row in rows} == {"national": 2, "la": 1}
    scoped.execute("select search.fold_statistics()")
    assert rows_of(scoped, "search.visible_scopes('E08000025')") == rows
