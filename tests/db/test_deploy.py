"""`python -m db up`: once, again, and refused with nothing kept."""

from db.deploy import DeployReport, check, deploy
from tests.deploying import ask, refusal, run, sha256_of, silent, up
from tests.sql_tree import SqlTree


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
    assert deploy(blank_url, notice=silent, root=tree.root, force=True).changed
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
        "update deploy.migration set sha256 = '" + sha256_of(tree, "0003_later") + "' "
        "where name = '0003_later'",
    )
    assert "0002_early.sql: never ran here, though the later 0003_later did" in refusal(
        blank_url, tree
    )


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
