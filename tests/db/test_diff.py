"""`python -m db diff`: what migra drafts, what it cannot see, and what is not ours to compare."""

import os
import signal
import subprocess
import sys
import time

import psycopg
import pytest

from db.__main__ import main
from db.deploy import DeployError, deploy
from db.diff import difference
from db.tree import ROOT
from tests.db.test_snapshot import shadows
from tests.deploying import run, silent
from tests.sql_tree import SqlTree


@pytest.fixture
def live(blank_url: str, tree: SqlTree) -> str:
    """A database deployed from the tree's files."""
    deploy(blank_url, notice=silent, root=tree.root)
    return blank_url


def found(url: str, tree: SqlTree) -> str:
    return difference(url, root=tree.root, notice=silent)


def test_our_product_does_not_differ_from_its_files(db_url: str) -> None:
    assert difference(db_url, root=ROOT, notice=silent) == ""


def test_a_deployed_database_does_not_differ(
    live: str, tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    before = shadows(live)
    assert main(["diff", "--root", str(tree.root), "--url", live]) == 0
    assert capsys.readouterr().out == "no difference\n"
    assert shadows(live) == before


def test_a_column_added_by_hand_is_drafted_away(
    live: str, tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    run(live, "alter table shelf.book add column pages integer")
    assert main(["diff", "--root", str(tree.root), "--url", live]) == 2
    assert 'alter table "shelf"."book" drop column "pages";' in capsys.readouterr().out


def test_applying_the_draft_leaves_no_difference(live: str, tree: SqlTree) -> None:
    run(
        live,
        "alter table shelf.book add column pages integer",
        "create index by_title on shelf.book (title)",
        "create table shelf.stray (n int)",
        "drop trigger book__look on shelf.book",
        "comment on function shelf.count_books is null",
    )
    draft = found(live, tree)
    run(live, "set check_function_bodies = off", *[draft])
    assert "migra" in found(live, tree)
    run(live, "comment on function shelf.count_books is 'Does what its test says.'")
    run(live, "comment on function shelf.book__look is 'A new row is looked at.'")
    assert found(live, tree) == ""


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("comment on function shelf.count_books is 'By hand.'", "IS 'By hand.';"),
        ("grant select on shelf.book to pg_monitor", "GRANT SELECT ON TABLE shelf.book"),
        ("revoke usage on schema shelf from pgkb_reader", "GRANT USAGE ON SCHEMA shelf"),
        ("alter table shelf.book set (fillfactor = 70)", "fillfactor='70'"),
        ("alter table shelf.book force row level security", "FORCE ROW LEVEL SECURITY"),
        ("alter sequence shelf.book_book_id_seq increment by 5", "INCREMENT BY 5"),
        ("create domain shelf.isbn as text", "CREATE DOMAIN shelf.isbn"),
    ],
)
def test_what_migra_cannot_see_is_shown_as_a_diff(
    live: str, tree: SqlTree, change: str, line: str
) -> None:
    run(live, change)
    shown = found(live, tree)
    assert line in shown
    assert all(text.startswith("-- ") or text == "--" for text in shown.splitlines())


def test_a_function_body_changed_by_hand_is_drafted_back(live: str, tree: SqlTree) -> None:
    run(
        live,
        "create or replace function shelf.count_books() returns bigint language sql "
        "set search_path = pg_catalog, pg_temp as 'select 99::bigint'",
    )
    assert "select count(*) from shelf.book" in found(live, tree)


def test_what_is_not_ours_is_left_alone(live: str, tree: SqlTree) -> None:
    run(
        live,
        "create schema other",
        "create table other.thing (n int)",
        "create view other.titles as select title from shelf.book",
        "create table public.mine (n int)",
        "create function public.mine() returns int language sql as 'select 1'",
        "create extension pg_trgm",
    )
    assert found(live, tree) == ""


def test_in_public_our_own_objects_are_compared(blank_url: str, tree: SqlTree) -> None:
    tree.migration("0002_view", "create view public.books as select title from shelf.book;")
    deploy(blank_url, notice=silent, root=tree.root)
    assert found(blank_url, tree) == ""
    run(blank_url, "drop view public.books")
    assert 'create or replace view "public"."books"' in found(blank_url, tree)


def test_partitions_made_at_run_time_are_no_difference(blank_url: str, tree: SqlTree) -> None:
    tree.migration(
        "0002_parts",
        "create table shelf.part (set_id int not null, n int, primary key (set_id, n))\n"
        "    partition by list (set_id);\n"
        "create index part_n_idx on shelf.part (n);\n"
        "create table shelf.part_1 partition of shelf.part for values in (1);",
    )
    deploy(blank_url, notice=silent, root=tree.root)
    run(
        blank_url,
        "create table shelf.part_2 partition of shelf.part for values in (2)",
        "create index part_2_own_idx on shelf.part_2 (n) where n > 7",
        "alter table shelf.part_2 add constraint part_2_own check (n > 0)",
        "comment on table shelf.part_2 is 'Made at run time.'",
        "grant select on shelf.part_2 to pgkb_reader",
    )
    assert found(blank_url, tree) == ""
    run(blank_url, "drop table shelf.part_1")
    assert "part_1" in found(blank_url, tree)


def test_an_optional_function_this_login_cannot_deploy_is_not_compared(
    blank_url: str, plain_url: str, server_url: str, tree: SqlTree
) -> None:
    tree.function(
        "shout", "return 'HO'", returns="text", language="plpython3u", mark="requires plpython3u"
    )
    if deploy(blank_url, notice=silent, root=tree.root).skipped:
        pytest.skip("no plpython3u on this server")
    assert found(blank_url, tree) == ""
    # a plain login may not build the extension vector in a scratch database: a superuser does
    run(server_url, f'alter role "{psycopg.conninfo.conninfo_to_dict(plain_url)["user"]}" createdb')
    with pytest.raises(DeployError, match="in a scratch database built from the files"):
        found(plain_url, tree)
    heard: list[str] = []
    assert difference(plain_url, root=tree.root, notice=heard.append, build_url=server_url) == ""
    assert heard == ["not compared: shelf.shout, which only a superuser can deploy"]


def test_without_migra_it_says_what_to_install(
    live: str, tree: SqlTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "migra", None)
    with pytest.raises(DeployError, match=r"run: pip install 'pgkb\[diff\]'"):
        found(live, tree)


@pytest.mark.parametrize("polite", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_diff_drops_its_scratch_database(
    live: str, tree: SqlTree, polite: signal.Signals
) -> None:
    before = shadows(live)
    tree.migration("0002_slow", "select pg_sleep(20);")
    process = subprocess.Popen(
        [sys.executable, "-m", "db", "diff", "--root", str(tree.root), "--url", live],
        cwd=ROOT.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONWARNINGS": "ignore"},
    )
    try:
        deadline = time.monotonic() + 20
        while not _sleeping(live):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(polite)
        _, told = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert told.splitlines() == ["stopped; nothing of the unfinished work is kept"]
    assert shadows(live) == before


def _sleeping(url: str) -> bool:
    with psycopg.connect(url) as conn:
        row = conn.execute(
            "select count(*) from pg_stat_activity where wait_event = 'PgSleep' "
            "and datname like 'pgkb_shadow_%'"
        ).fetchone()
    return row is not None and row[0] > 0
