"""`python -m db up`: once, again, twice at a time, as a plain owner, and when it is refused."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from db.__main__ import main
from db.deploy import DeployError, DeployReport, check, deploy
from tests.sql_tree import SqlTree


def _silent(_line: str) -> None:
    """A notice nobody hears."""


def up(url: str, tree: SqlTree, notice: Callable[[str], None] = _silent) -> DeployReport:
    return deploy(url, notice=notice, root=tree.root)


def ask(url: str, query: str) -> Any:
    with psycopg.connect(url, autocommit=True) as conn:
        row = conn.execute(query.encode()).fetchone()
    return None if row is None else row[0]


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        for statement in statements:
            conn.execute(statement.encode())


def refusal(url: str, tree: SqlTree) -> str:
    with pytest.raises(DeployError) as caught:
        up(url, tree)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_first_up_runs_everything(blank_url: str, tree: SqlTree) -> None:
    report = up(blank_url, tree)
    assert report == DeployReport(changed=True, migrations=["0001_shelf"], skipped=[])
    assert ask(blank_url, "select shelf.count_books()") == 0
    assert ask(blank_url, "select count(*) from pg_trigger where tgname = 'book__look'") == 1
    assert ask(blank_url, "select has_schema_privilege('pgkb_reader', 'shelf', 'usage')")
    assert check(blank_url, root=tree.root) == []


def test_a_second_up_writes_nothing(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    xmin = "select string_agg(xmin::text, ',' order by oid) from pg_proc"
    before = ask(blank_url, xmin), ask(blank_url, "select txid_current()")
    lines: list[str] = []
    report = up(blank_url, tree, lines.append)
    after = ask(blank_url, xmin), ask(blank_url, "select txid_current()")
    assert report == DeployReport(changed=False, migrations=[], skipped=[])
    assert lines == ["nothing to do"]
    assert after[0] == before[0]
    # not even a transaction id was used between our two questions
    assert after[1] == before[1] + 1


def test_no_object_belongs_to_a_superuser(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    owners = (
        "select string_agg(distinct pg_get_userbyid(owner), ',') from ("
        "select proowner as owner from pg_proc where pronamespace = 'shelf'::regnamespace "
        "union all select relowner from pg_class where relnamespace = 'shelf'::regnamespace "
        "union all select nspowner from pg_namespace where nspname in ('shelf', 'deploy')) as o"
    )
    assert ask(blank_url, owners) == "pgkb_owner"


def test_a_changed_function_file_runs_and_migrations_do_not(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    tree.function("count_books", "select 7::bigint")
    report = up(blank_url, tree)
    assert (report.changed, report.migrations) == (True, [])
    assert ask(blank_url, "select shelf.count_books()") == 7


def test_only_new_migrations_run(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    tree.migration("0002_add_author", "alter table shelf.book add column author text;")
    assert up(blank_url, tree).migrations == ["0002_add_author"]


def test_a_function_dropped_by_hand_is_put_back(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    run(blank_url, "drop function shelf.count_books")
    assert "gone from the database" in check(blank_url, root=tree.root)[0]
    assert up(blank_url, tree).changed
    assert ask(blank_url, "select shelf.count_books()") == 0


def test_a_trigger_dropped_by_hand_is_put_back(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    run(blank_url, "drop trigger book__look on shelf.book")
    assert up(blank_url, tree).changed
    assert ask(blank_url, "select count(*) from pg_trigger where tgname = 'book__look'") == 1


def test_force_undoes_a_body_changed_by_hand(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    run(
        blank_url,
        "create or replace function shelf.count_books() returns bigint language sql "
        "set search_path = pg_catalog, pg_temp as 'select 99::bigint'",
    )
    assert not up(blank_url, tree).changed
    assert deploy(blank_url, notice=_silent, root=tree.root, force=True).changed
    assert ask(blank_url, "select shelf.count_books()") == 0


def test_function_files_need_no_order(blank_url: str, tree: SqlTree) -> None:
    tree.function("a_first", "select shelf.z_last()")
    tree.function("z_last", "select 5::bigint")
    up(blank_url, tree)
    assert ask(blank_url, "select shelf.a_first()") == 5


def test_a_setting_a_migration_leaves_behind_does_not_reach_the_next_file(
    blank_url: str, tree: SqlTree
) -> None:
    tree.migration(
        "0002_loud", "set local search_path = pg_temp; set local role none; create schema loud;"
    )
    tree.migration("0003_after", "create table after_loud (meaning vector(3)); ")
    up(blank_url, tree)
    assert (
        ask(
            blank_url,
            "select relowner::regrole::text from pg_class where oid = "
            "'public.after_loud'::regclass",
        )
        == "pgkb_owner"
    )


# ---- what is refused, and that nothing of it stays ------------------------------------------


def test_a_migration_that_fails_leaves_nothing(blank_url: str, tree: SqlTree) -> None:
    tree.migration("0002_broken", "create table shelf.half (n int);\nselect 1 / 0;")
    message = refusal(blank_url, tree)
    assert message == "db/migrations/0002_broken.sql: division by zero"
    schemas = "select count(*) from pg_namespace where nspname in ('shelf', 'deploy')"
    assert ask(blank_url, schemas) == 0
    assert ask(blank_url, "select count(*) from pg_extension where extname = 'vector'") == 0


def test_an_error_names_the_line_of_its_file(blank_url: str, tree: SqlTree) -> None:
    tree.migration(
        "0002_typo", "create table shelf.other (n int);\nselect nothing from shelf.book;"
    )
    message = refusal(blank_url, tree)
    assert message == 'db/migrations/0002_typo.sql:6: column "nothing" does not exist'


def test_an_edited_migration_is_refused(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    tree.migration("0001_shelf", "create schema shelf; create table shelf.book (n int);")
    message = refusal(blank_url, tree)
    assert message.startswith("db/migrations/0001_shelf.sql: was edited after it ran here")
    assert message in check(blank_url, root=tree.root)


def test_windows_line_ends_are_no_edit(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    path = tree.root / "migrations" / "0001_shelf.sql"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert not up(blank_url, tree).changed


def test_a_database_newer_than_the_files_is_refused(blank_url: str, tree: SqlTree) -> None:
    second = tree.migration("0002_more", "create table shelf.more (n int);")
    up(blank_url, tree)
    second.unlink()
    assert "migration 0002_more, which is not among these files" in refusal(blank_url, tree)


def test_a_migration_slipped_in_before_one_that_ran_is_refused(
    blank_url: str, tree: SqlTree
) -> None:
    second = tree.migration("0002_later", "create table shelf.later (n int);")
    up(blank_url, tree)
    second.unlink()
    run(blank_url, "update deploy.migration set name = '0003_later' where name = '0002_later'")
    tree.migration("0002_early", "create table shelf.early (n int);")
    tree.migration("0003_later", "create table shelf.later (n int);")
    run(
        blank_url,
        "update deploy.migration set sha256 = '" + _sha256(tree, "0003_later") + "' "
        "where name = '0003_later'",
    )
    assert "0002_early.sql: never ran here, though the later 0003_later did" in refusal(
        blank_url, tree
    )


def _sha256(tree: SqlTree, name: str) -> str:
    from db.tree import digest

    return digest((tree.root / "migrations" / f"{name}.sql").read_text(encoding="utf-8"))


def test_a_body_that_names_a_missing_column_is_refused(blank_url: str, tree: SqlTree) -> None:
    tree.function("count_books", "select count(b.pages)\nfrom shelf.book as b")
    message = refusal(blank_url, tree)
    assert message == "db/functions/shelf/count_books.sql:9: column b.pages does not exist"
    assert ask(blank_url, "select to_regnamespace('shelf')") is None


def test_a_syntax_error_in_a_plpgsql_body_is_refused(blank_url: str, tree: SqlTree) -> None:
    tree.function("count_books", "begin\n    retrun 1;\nend;", language="plpgsql")
    message = refusal(blank_url, tree)
    assert message.startswith("db/functions/shelf/count_books.sql:")
    assert "retrun" in message


def test_a_function_without_pinned_path_must_name_schemas(blank_url: str, tree: SqlTree) -> None:
    tree.function(
        "near",
        "select min(b.meaning <-> '[1,2,3]'::public.vector) from shelf.book as b",
        returns="float8",
        options="stable",
    )
    assert "operator does not exist" in refusal(blank_url, tree)


def test_a_changed_result_type_says_where_the_drop_belongs(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    tree.function("count_books", "select 1", returns="integer")
    message = refusal(blank_url, tree)
    assert message.startswith("db/functions/shelf/count_books.sql: cannot change return type")
    assert message.endswith("drop the old one in a migration first")


def test_a_statement_in_the_wrong_room_is_refused_before_anything_runs(
    blank_url: str, tree: SqlTree
) -> None:
    tree.write("functions/shelf/loose.sql", "-- shelf.loose\ncreate table shelf.loose (n int);\n")
    assert "belongs to db/migrations/" in refusal(blank_url, tree)
    assert ask(blank_url, "select to_regnamespace('shelf')") is None


# ---- ghosts ---------------------------------------------------------------------------------


def test_a_function_without_a_file_is_a_ghost_and_the_deploy_rolls_back(
    blank_url: str, tree: SqlTree
) -> None:
    up(blank_url, tree)
    run(blank_url, "create function shelf.lost(n int) returns int language sql as 'select n'")
    tree.function("count_books", "select 7::bigint")
    message = refusal(blank_url, tree)
    assert message == (
        "ghost: function shelf.lost(n integer) has no file; "
        "put in a migration: drop function shelf.lost(n integer);"
    )
    assert ask(blank_url, "select shelf.count_books()") == 0
    assert message in check(blank_url, root=tree.root)


def test_an_old_overload_is_a_ghost_and_its_drop_heals(blank_url: str, tree: SqlTree) -> None:
    tree.function("pick", "select n::bigint", arguments="n integer")
    up(blank_url, tree)
    tree.function("pick", "select n::bigint", arguments="n integer, tags text[] default null")
    message = refusal(blank_url, tree)
    drop = message.rpartition("put in a migration: ")[2]
    assert drop == "drop function shelf.pick(n integer);"
    tree.migration("0002_drop_old_pick", drop)
    up(blank_url, tree)
    assert ask(blank_url, "select shelf.pick(3)") == 3


def test_a_deleted_trigger_file_leaves_a_ghost_named_with_its_trigger(
    blank_url: str, tree: SqlTree
) -> None:
    up(blank_url, tree)
    (tree.root / "triggers/shelf/book__look.sql").unlink()
    message = refusal(blank_url, tree)
    drop = message.rpartition("put in a migration: ")[2]
    assert drop == ("drop trigger book__look on shelf.book; drop function shelf.book__look();")
    tree.migration("0002_drop_look", drop)
    assert up(blank_url, tree).changed


def test_a_second_trigger_made_by_hand_is_a_ghost(blank_url: str, tree: SqlTree) -> None:
    up(blank_url, tree)
    run(
        blank_url,
        "create trigger again after update on shelf.book "
        "for each row execute function shelf.book__look()",
    )
    assert 'drop trigger "again" on "shelf"."book"' in refusal(blank_url, tree)


def test_in_public_only_overloads_of_our_names_are_ghosts(blank_url: str, tree: SqlTree) -> None:
    tree.function("public.find_book", "select book_id", arguments="book_id bigint")
    run(
        blank_url,
        "create extension pg_trgm schema public",
        "create function public.their_own() returns int language sql as 'select 1'",
    )
    up(blank_url, tree)
    run(
        blank_url,
        "create function public.find_book(x text) returns int language sql as 'select 1'",
    )
    assert "drop function public.find_book(x text)" in refusal(blank_url, tree)


def test_a_function_a_table_definition_needs_is_no_ghost(blank_url: str, tree: SqlTree) -> None:
    tree.migration(
        "0002_slug",
        "create function shelf.slug(title text) returns text language sql immutable\n"
        "set search_path = pg_catalog, pg_temp as 'select lower(title)';\n"
        "alter table shelf.book add column slug text generated always as "
        "(shelf.slug(title)) stored;",
        mark="definition needs shelf.slug in a generated column",
    )
    up(blank_url, tree)
    assert check(blank_url, root=tree.root) == []


# ---- migrations outside the transaction -------------------------------------------------------

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


# ---- two at once ------------------------------------------------------------------------------


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


# ---- a plain owner, without superuser ---------------------------------------------------------


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
    run(blank_url, f'alter database "{settings["dbname"]}" owner to postgres')
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


# ---- the command line -------------------------------------------------------------------------


def _command(tree: SqlTree, name: str, *arguments: str) -> int:
    return main([name, "--root", str(tree.root), *arguments])


def test_up_prints_what_it_did(
    blank_url: str, tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _command(tree, "up", "--url", blank_url) == 0
    assert capsys.readouterr().out.splitlines() == [
        "migration 0001_shelf",
        "1 function, 1 trigger, grants",
    ]
    assert _command(tree, "up", "--url", blank_url) == 0
    assert capsys.readouterr().out == "nothing to do\n"


def test_an_unreachable_database_is_one_line_without_the_password(
    tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _command(tree, "up", "--url", "postgresql://me:s3cret@127.0.0.1:1/none") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert "cannot be reached" in shown.err
    assert "s3cret" not in shown.err


def test_a_malformed_url_is_one_line(tree: SqlTree, capsys: pytest.CaptureFixture[str]) -> None:
    assert _command(tree, "up", "--url", "postgresql//nonsense") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_without_migrations_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["up", "--root", str(tmp_path), "--url", "postgresql://127.0.0.1:1/none"]) == 2
    assert "no migrations folder here" in capsys.readouterr().err


def test_check_without_a_database_checks_the_files(
    tree: SqlTree, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGKB_DATABASE_URL", raising=False)
    monkeypatch.setenv("PGKB_HOME", str(tree.root.parent / "no-server"))
    tree.write("migrations/frozen.txt", f"{_sha256(tree, '0001_shelf')}  0001_shelf.sql\n")
    assert _command(tree, "check") == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("files only, no database was looked at:")
    assert shown[1] == "ok"


def test_check_tells_what_has_not_run_yet(
    blank_url: str, tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.write("migrations/frozen.txt", f"{_sha256(tree, '0001_shelf')}  0001_shelf.sql\n")
    assert _command(tree, "check", "--url", blank_url) == 2
    assert "nothing was deployed" in capsys.readouterr().err
    up(blank_url, tree)
    assert _command(tree, "check", "--url", blank_url) == 0
    tree.function("count_books", "select 7::bigint")
    assert _command(tree, "check", "--url", blank_url) == 2
    assert "count_books.sql: differs from what ran here" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["up", "check", "diff", "snapshot", "new"])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert "usage: python -m db" in capsys.readouterr().out
