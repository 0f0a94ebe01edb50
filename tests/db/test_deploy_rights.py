"""A deploy by a plain owner, and what it says when a right or extension is missing."""

import psycopg
import pytest

from db.deploy import check, deploy
from db.tree import ROOT, read_tree
from tests.deploying import ask, refusal, run, silent, up
from tests.sql_tree import SqlTree


def test_our_product_deploys_as_a_plain_owner_in_a_fresh_session(plain_url: str) -> None:
    report = deploy(plain_url, notice=silent, root=ROOT)
    assert report.changed
    assert not deploy(plain_url, notice=silent, root=ROOT).changed
    optional = [file.path for file in read_tree(ROOT).functions if file.requires_plpython]
    assert report.skipped == optional
    assert check(plain_url, root=ROOT) == []


def test_a_plain_owner_deploys_functions_that_set_hnsw_options(
    plain_url: str, tree: SqlTree
) -> None:
    tree.function(
        "near",
        "select b.book_id from shelf.book as b "
        "order by b.meaning operator(public.<->) near.wanted limit 1",
        arguments="wanted vector",
        options="stable set hnsw.ef_search = 80 set search_path = pg_catalog, pg_temp",
    )
    assert up(plain_url, tree).changed
    assert not up(plain_url, tree).changed
    assert ask(plain_url, "select shelf.near('[1,2,3]')") is None


def test_a_typo_in_an_hnsw_option_fails_the_deploy(plain_url: str, tree: SqlTree) -> None:
    tree.function("near", "select 1::bigint", options="set hnsw.ef_serach = 80")
    message = refusal(plain_url, tree)
    assert message.startswith("db/functions/shelf/near.sql")
    assert "hnsw.ef_serach" in message


def test_an_optional_python_function_needs_a_superuser_and_is_then_kept(
    blank_url: str, plain_url: str, tree: SqlTree
) -> None:
    tree.function(
        "shout",
        "return word.upper()",
        arguments="word text",
        returns="text",
        language="plpython3u",
        mark="requires plpython3u",
    )
    lines: list[str] = []
    assert up(plain_url, tree, lines.append).skipped == ["functions/shelf/shout.sql"]
    assert "left out db/functions/shelf/shout.sql: plpython3u needs a superuser" in lines
    assert check(plain_url, root=tree.root) == []

    report = up(blank_url, tree, lines.append)
    if report.skipped:
        pytest.skip(f"no plpython3u on this server: {lines[-1]}")
    assert report.changed
    assert ask(blank_url, "select shelf.shout('hello')") == "HELLO"
    assert not up(blank_url, tree).changed

    # the plain owner neither drops nor repeats it
    assert not up(plain_url, tree).changed
    tree.function("count_books", "select 7::bigint")
    assert up(plain_url, tree).changed
    assert ask(blank_url, "select shelf.shout('hello')") == "HELLO"
    assert not up(blank_url, tree).changed


def test_a_login_that_may_not_act_as_the_owner_is_refused(
    blank_url: str, plain_url: str, tree: SqlTree
) -> None:
    login = psycopg.conninfo.conninfo_to_dict(plain_url)["user"]
    run(blank_url, f'revoke pgkb_owner from "{login}"')
    assert refusal(plain_url, tree).endswith(f'a superuser must run: grant pgkb_owner to "{login}"')


def test_missing_roles_are_named_with_the_statement_to_run(
    plain_url: str, tree: SqlTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.preflight.ROLES", ("pgkb_owner", "pgkb_never_made"))
    assert "a superuser must run: create role pgkb_never_made nologin;" in refusal(plain_url, tree)


def test_a_missing_extension_is_named_with_the_statement_to_run(
    blank_url: str, plain_url: str, tree: SqlTree
) -> None:
    run(blank_url, "drop extension vector")
    message = refusal(plain_url, tree)
    assert message.endswith(
        "a superuser must run in this database: create extension vector with schema public"
    )


def test_a_missing_right_on_the_database_is_named_with_the_statement_to_run(
    blank_url: str, plain_url: str, tree: SqlTree
) -> None:
    settings = psycopg.conninfo.conninfo_to_dict(plain_url)
    run(blank_url, f'alter database "{settings["dbname"]}" owner to current_user')
    message = refusal(plain_url, tree)
    assert f'grant create on database "{settings["dbname"]}" to "pgkb_owner"' in message


def test_an_extension_in_another_schema_is_refused(blank_url: str, tree: SqlTree) -> None:
    run(blank_url, "create schema elsewhere", "create extension vector schema elsewhere")
    assert refusal(blank_url, tree).endswith("run: alter extension vector set schema public")


def test_an_old_pgvector_is_refused_and_a_faulty_one_warned_about(
    blank_url: str, tree: SqlTree
) -> None:
    run(
        blank_url,
        "create extension vector schema public",
        "update pg_extension set extversion = '0.7.4' where extname = 'vector'",
    )
    assert refusal(blank_url, tree).startswith("pgvector 0.7.4 is too old")
    run(blank_url, "update pg_extension set extversion = '0.8.2' where extname = 'vector'")
    lines: list[str] = []
    up(blank_url, tree, lines.append)
    assert lines[0].startswith("warning: pgvector 0.8.2 works, but repairs of HNSW indexes")
