"""Indexes built outside the transaction, and several deploys at once."""

from concurrent.futures import ThreadPoolExecutor

from db.deploy import DeployReport, check
from tests.deploying import ask, refusal, run, up
from tests.sql_tree import SqlTree

_INDEX = "create index concurrently if not exists book_title_idx on shelf.book (title);"
_VALID = "select indisvalid from pg_index where indexrelid = 'shelf.book_title_idx'::regclass"


def test_an_index_is_built_concurrently(blank_url: str, tree: SqlTree) -> None:
    tree.migration("0002_title_index", _INDEX, mark="transaction: none")
    tree.migration("0003_after", "create table shelf.after (n int);")
    assert up(blank_url, tree).migrations == ["0001_shelf", "0002_title_index", "0003_after"]
    assert ask(blank_url, _VALID) is True
    owner = "select relowner::regrole::text from pg_class where relname = 'book_title_idx'"
    assert ask(blank_url, owner) == "pgkb_owner"
    assert not up(blank_url, tree).changed


def test_an_index_left_invalid_is_dropped_and_rebuilt(blank_url: str, tree: SqlTree) -> None:
    # fault R-17
    tree.migration("0002_title_index", _INDEX, mark="transaction: none")
    up(blank_url, tree)
    run(
        blank_url,
        "update pg_index set indisvalid = false "
        "where indexrelid = 'shelf.book_title_idx'::regclass",
    )
    assert "index shelf.book_title_idx is invalid" in check(blank_url, root=tree.root)[0]
    old = ask(blank_url, "select 'shelf.book_title_idx'::regclass::oid::bigint")
    lines: list[str] = []
    assert up(blank_url, tree, lines.append).migrations == ["0002_title_index"]
    assert "rebuilding" in lines[0]
    assert ask(blank_url, _VALID) is True
    assert ask(blank_url, "select 'shelf.book_title_idx'::regclass::oid::bigint") != old


def test_a_unique_index_that_cannot_be_built_is_rebuilt_once_the_data_allow(
    blank_url: str, tree: SqlTree
) -> None:
    up(blank_url, tree)
    run(blank_url, "insert into shelf.book (title) values ('same'), ('same')")
    tree.migration(
        "0002_title_index",
        _INDEX.replace("create index", "create unique index"),
        mark="transaction: none",
    )
    assert "could not create unique index" in refusal(blank_url, tree)
    assert ask(blank_url, _VALID) is False
    run(blank_url, "delete from shelf.book where book_id = 1")
    up(blank_url, tree)
    assert ask(blank_url, _VALID) is True


def test_a_build_that_died_before_its_ledger_row_is_repeated(blank_url: str, tree: SqlTree) -> None:
    tree.migration("0002_title_index", _INDEX, mark="transaction: none")
    up(blank_url, tree)
    run(blank_url, "delete from deploy.migration where name = '0002_title_index'")
    assert up(blank_url, tree).migrations == ["0002_title_index"]
    assert ask(blank_url, _VALID) is True
    assert not up(blank_url, tree).changed


def test_an_invalid_index_of_nobody_is_told(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    run(
        blank_url,
        "create index stray on shelf.book (title)",
        "update pg_index set indisvalid = false where indexrelid = 'shelf.stray'::regclass",
    )
    lines: list[str] = []
    up(blank_url, tree, lines.append)
    assert "reindex index concurrently shelf.stray" in lines[0]


def _race(url: str, tree: SqlTree) -> tuple[list[DeployReport], list[str]]:
    lines: list[str] = []
    with ThreadPoolExecutor(max_workers=3) as pool:
        waiting = [pool.submit(up, url, tree, lines.append) for _ in range(3)]
        return [one.result(timeout=60) for one in waiting], lines


def test_of_three_ups_at_once_one_works_and_the_others_find_nothing_to_do(
    blank_url: str, tree: SqlTree
) -> None:
    tree.migration("0002_slow", "select pg_sleep(0.5);")
    reports, lines = _race(blank_url, tree)
    assert sorted(report.changed for report in reports) == [False, False, True]
    assert lines.count("nothing to do") == 2
    assert any("another deploy is at work" in line for line in lines)
    assert ask(blank_url, "select count(*) from deploy.migration") == 2


def test_a_waiting_up_does_not_block_a_concurrent_index_build(
    blank_url: str, tree: SqlTree
) -> None:
    tree.migration("0002_slow", "select pg_sleep(0.3);")
    tree.migration("0003_title_index", _INDEX, mark="transaction: none")
    reports, _ = _race(blank_url, tree)
    assert sorted(report.changed for report in reports) == [False, False, True]
    assert ask(blank_url, _VALID) is True
