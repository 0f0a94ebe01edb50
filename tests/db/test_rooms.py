"""Which statement may live where; each message names the right room."""

import re
from pathlib import Path

import pytest

from db.frozen import freeze, frozen_problems, new_migration
from db.rooms import check_rooms
from db.tree import ROOT, DeployError, read_tree
from tests.sql_tree import PIN, SqlTree

# plpgsql says errcode = 'QU001', plpython3u sqlstate="QU001"
ERROR_CODE = re.compile(r"(?:errcode|sqlstate)\s*:?=\s*['\"]([A-Z]{2}[0-9]{3})['\"]", re.IGNORECASE)
STANDARD_CLASSES = ("P0", "P1")
REGISTER_ROW = re.compile(r"^\| `([A-Z]{2}[0-9]{3})` \|", re.MULTILINE)


def problems(tree: SqlTree) -> list[str]:
    return check_rooms(tree.root)


def only_problem(tree: SqlTree) -> str:
    found = problems(tree)
    assert len(found) == 1, found
    return found[0]


def _function(text: str, *, summary: str = "Adds.") -> str:
    return f"-- shelf.add\n-- {summary}\n{text}\ncomment on function shelf.add is '{summary}';\n"


# ---- the files of this repository --------------------------------------------------------------


def test_our_own_files_are_in_their_rooms() -> None:
    assert check_rooms(ROOT) == []


def test_every_migration_of_ours_is_frozen_and_unchanged() -> None:
    assert frozen_problems(ROOT) == []


def test_every_error_code_in_sql_is_registered_and_every_registered_code_is_used() -> None:
    tree = read_tree(ROOT)
    raised = {
        code.upper()
        for file in (*tree.migrations, *tree.repeatable)
        for code in ERROR_CODE.findall(file.text)
        if not code.startswith(STANDARD_CLASSES)
    }
    registered = REGISTER_ROW.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(registered) == len(set(registered)), "a code is registered twice"
    assert raised - set(registered) == set(), "raised but not in the register of db/README.md"
    assert set(registered) - raised == set(), "in the register of db/README.md but never raised"
    assert [code for code in registered if code[0] < "I"] == [], "A to H are the SQL standard's"


# ---- functions -----------------------------------------------------------------------------------


def test_a_good_tree_has_no_problem(tree: SqlTree) -> None:
    assert problems(tree) == []


GOOD = f"create or replace function shelf.add(n int) returns int language sql {PIN} as 'select n';"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD.replace(" or replace", ""), "write create or replace: this file runs at every"),
        (GOOD.replace("shelf.add(", "shelf.plus("), "defines shelf.plus; the path says shelf.add"),
        (GOOD.replace("shelf.add(", "add("), "defines ?.add; the path says shelf.add"),
        (GOOD + "create table shelf.t (n int);", "this create statement belongs to db/migrations/"),
        (GOOD + "create index on shelf.t (n);", "belongs to db/migrations/NNNN_name.sql"),
        (GOOD + "grant execute on function shelf.add to public;", "belongs to db/grants.sql"),
        (GOOD + GOOD, "holds 2 functions; it holds exactly one: shelf.add"),
        ("", "holds 0 functions"),
        (GOOD + "commit;", "a file may not begin, commit or roll back"),
        (
            GOOD.replace("as 'select n'", "begin atomic select n; end"),
            "begin atomic and return need files in an order",
        ),
        (GOOD.replace("n int", "n shelf.book.book_id%type"), "parameter n: name its type"),
        (
            GOOD.replace("language sql", "language plpython3u"),
            'plpython3u needs the header line "-- requires plpython3u"',
        ),
        (
            GOOD + "create or replace trigger t before insert on shelf.book "
            "execute function shelf.add();",
            "a trigger belongs to db/triggers/shelf/book__<effect>.sql",
        ),
        (
            "create or replace function shelf.add() returns trigger language plpgsql "
            f"{PIN} as 'begin return new; end';",
            "a trigger function belongs to db/triggers/<schema>/<table>__<effect>.sql",
        ),
        ("create or replace fnction shelf.add()", 'syntax error at or near "fnction"'),
    ],
)
def test_a_function_file_that_breaks_a_rule_is_told_which(
    tree: SqlTree, text: str, expected: str
) -> None:
    tree.write("functions/shelf/add.sql", _function(text))
    found = problems(tree)
    assert any(expected in line for line in found), found
    assert all(line.startswith("db/functions/shelf/add.sql:") for line in found)


def test_the_line_is_that_of_the_statement(tree: SqlTree) -> None:
    text = "-- shelf.add\n-- Ärger, größer, naïve.\n\n-- why\n\ndrop table shelf.book;\n"
    tree.write("functions/shelf/add.sql", text)
    assert problems(tree)[0].startswith("db/functions/shelf/add.sql:6: this drop statement")


def test_a_syntax_error_after_accents_is_on_its_line(tree: SqlTree) -> None:
    text = "-- shelf.add\n-- Ärger, größer, naïve, „so“.\n\nselct 1;\n"
    tree.write("functions/shelf/add.sql", text)
    assert problems(tree)[0].startswith("db/functions/shelf/add.sql:4: syntax error")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD.replace(PIN, "").replace("sql", "plpgsql"), "no pinned path"),
        (GOOD.replace(PIN, "security definer"), "no pinned path"),
        (GOOD.replace("pg_catalog, pg_temp", "pg_catalog"), "the pinned path must end in pg_temp"),
        (GOOD.replace(PIN, f"{PIN} security definer"), '"-- definer because <reason>"'),
    ],
)
def test_an_unsafe_function_is_told_what_is_missing(
    tree: SqlTree, text: str, expected: str
) -> None:
    tree.write("functions/shelf/add.sql", _function(text))
    assert any(expected in line for line in problems(tree))


def test_a_security_definer_with_a_reason_is_fine(tree: SqlTree) -> None:
    text = _function(GOOD.replace(PIN, f"{PIN} security definer"))
    reason = "-- Adds.\n--\n-- definer because readers may not see the table\n"
    tree.write("functions/shelf/add.sql", text.replace("-- Adds.\n", reason))
    assert problems(tree) == []


def test_an_inlinable_sql_function_needs_no_pin(tree: SqlTree) -> None:
    tree.write("functions/shelf/add.sql", _function(GOOD.replace(PIN, "stable")))
    assert problems(tree) == []


def test_the_header_must_repeat_the_comment(tree: SqlTree) -> None:
    text = _function(GOOD).replace("-- Adds.", "-- Subtracts.")
    tree.write("functions/shelf/add.sql", text)
    assert only_problem(tree) == (
        'db/functions/shelf/add.sql:2: the header says "Subtracts." but the comment says "Adds."'
    )


def test_a_long_summary_may_go_on_to_the_next_line(tree: SqlTree) -> None:
    text = _function(GOOD, summary="Adds one number to another.")
    wrapped = "-- Adds one number\n-- to another.\n--\n-- called by nobody\n"
    tree.write("functions/shelf/add.sql", text.replace("-- Adds one number to another.\n", wrapped))
    assert problems(tree) == []


def test_a_function_without_comment_is_told(tree: SqlTree) -> None:
    tree.write("functions/shelf/add.sql", f"-- shelf.add\n-- Adds.\n{GOOD}\n")
    assert only_problem(tree).endswith("no comment on function")


def test_a_header_with_another_name_is_told(tree: SqlTree) -> None:
    tree.write("functions/shelf/add.sql", _function(GOOD).replace("-- shelf.add", "-- shelf.plus"))
    assert only_problem(tree).endswith('the first line is "-- shelf.add"')


def test_an_optional_python_function_carries_its_own_grants(tree: SqlTree) -> None:
    path = tree.function(
        "shout", "return 'HO'", returns="text", language="plpython3u", mark="requires plpython3u"
    )
    revoke = "revoke execute on function shelf.shout() from public;\n"
    path.write_text(path.read_text(encoding="utf-8") + revoke, encoding="utf-8")
    assert problems(tree) == []


def test_a_file_no_deploy_would_read_is_told(tree: SqlTree) -> None:
    tree.write("functions/loose.sql", "select 1;\n")
    tree.write("functions/shelf/deep/er.sql", "select 1;\n")
    found = problems(tree)
    assert len(found) == 2
    assert found[0].startswith("db/functions/loose.sql: no deploy reads this")


def test_a_file_that_is_not_text_is_one_line(tree: SqlTree) -> None:
    tree.write("functions/shelf/add.sql", "").write_bytes(b"-- \xff\xfe")
    with pytest.raises(DeployError, match=r"^db/functions/shelf/add.sql: not UTF-8 text"):
        problems(tree)


# ---- triggers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("or replace trigger", "trigger", "write create or replace trigger"),
        ("insert on shelf.book", "insert on shelf.other", "the trigger is on shelf.book"),
        ("trigger book__look\n", "trigger look\n", "trigger look must be named book__look"),
        (
            "execute function shelf.book__look",
            "execute function shelf.other",
            "the trigger must execute shelf.book__look",
        ),
        (
            "comment on function",
            "create table shelf.t (n int);\ncomment on function",
            "belongs to db/migrations/",
        ),
        ("A new row", "An old row", "but the comment says"),
    ],
)
def test_a_trigger_file_that_breaks_a_rule_is_told_which(
    tree: SqlTree, old: str, new: str, expected: str
) -> None:
    path = tree.root / "triggers/shelf/book__look.sql"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert any(expected in line for line in problems(tree)), problems(tree)


def test_a_trigger_file_without_trigger_is_told(tree: SqlTree) -> None:
    path = tree.root / "triggers/shelf/book__look.sql"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("create or replace trigger")], encoding="utf-8")
    assert "holds 1 trigger functions and 0 triggers" in only_problem(tree)


# ---- migrations ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (GOOD, "a function belongs to db/functions/shelf/add.sql; only what a table definition"),
        (
            "create trigger t after insert on shelf.book execute function shelf.f();",
            "a trigger belongs to db/triggers/shelf/book__<effect>.sql",
        ),
        ("grant usage on schema shelf to pgkb_app;", "who may do what belongs to db/grants.sql"),
        ("create role somebody;", "roles belong to the whole server"),
        ("commit;", "a file may not begin, commit or roll back"),
        (
            "create index concurrently if not exists i on shelf.book (title);",
            'a migration with the header line "-- transaction: none"',
        ),
        ("-- nothing", "no statement; a migration does something"),
    ],
)
def test_a_migration_that_breaks_a_rule_is_told_which(
    tree: SqlTree, body: str, expected: str
) -> None:
    tree.migration("0002_next", body)
    assert expected in only_problem(tree)


def test_a_migration_may_hold_the_function_its_table_definition_needs(tree: SqlTree) -> None:
    tree.migration("0002_next", GOOD, mark="definition needs shelf.add in a generated column")
    assert problems(tree) == []


def test_a_migration_outside_a_transaction_holds_one_statement(tree: SqlTree) -> None:
    one = "create index concurrently if not exists i on shelf.book (title);"
    tree.migration("0002_next", f"{one}\nselect 1;", mark="transaction: none")
    assert "holds exactly one statement" in only_problem(tree)


def test_a_concurrent_index_must_be_repeatable(tree: SqlTree) -> None:
    one = "create index concurrently i on shelf.book (title);"
    tree.migration("0002_next", one, mark="transaction: none")
    assert "create index concurrently if not exists <name>" in only_problem(tree)


def test_a_migration_says_why_what_it_locks_and_how_it_is_undone(tree: SqlTree) -> None:
    tree.write("migrations/0002_next.sql", "-- 0002_next\n-- why\nselect 1;\n")
    found = problems(tree)
    assert [line.partition(": ")[2] for line in found] == [
        'the header has no "-- why  <text>" line',
        'the header has no "-- lock  <text>" line',
        'the header has no "-- undo  <text>" line',
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("0003_gap", "number 0002 is expected here"),
        ("0001_twice", "number 0002 is expected here"),
        ("0002_Upper", "a migration is named NNNN_what_it_does.sql"),
        ("2_short", "a migration is named NNNN_what_it_does.sql"),
    ],
)
def test_a_misnumbered_migration_is_told(tree: SqlTree, name: str, expected: str) -> None:
    tree.migration(name, "select 1;")
    assert expected in only_problem(tree)


# ---- grants --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "revoke all on all functions in schema shelf from public;",
        "alter default privileges in schema shelf revoke execute on functions from public;",
        "alter table shelf.book enable row level security;",
        "drop policy if exists all_rows on shelf.book;\n"
        "create policy all_rows on shelf.book using (true);",
    ],
)
def test_grants_may_say_who_may_do_what(tree: SqlTree, text: str) -> None:
    tree.grants(text + "\n")
    assert problems(tree) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("create table shelf.t (n int);", "belongs to db/migrations/"),
        ("alter table shelf.book add column n int;", "belongs to db/migrations/"),
        ("create role x;", "roles belong to the whole server"),
        ("grant pgkb_reader to pgkb_app;", "roles belong to the whole server"),
        (
            "create policy all_rows on shelf.book using (true);",
            "write drop policy if exists all_rows on shelf.book",
        ),
    ],
)
def test_grants_hold_nothing_else(tree: SqlTree, text: str, expected: str) -> None:
    tree.grants(text + "\n")
    assert expected in only_problem(tree)


# ---- frozen migrations ---------------------------------------------------------------------------


def test_a_migration_nobody_froze_is_told(tree: SqlTree) -> None:
    assert frozen_problems(tree.root) == [
        "db/migrations/0001_shelf.sql: not in frozen.txt yet; run: python -m db snapshot"
    ]
    assert freeze(tree.root) == ["0001_shelf"]
    assert frozen_problems(tree.root) == []
    assert freeze(tree.root) == []


def test_a_frozen_migration_may_not_change(tree: SqlTree) -> None:
    freeze(tree.root)
    tree.migration("0001_shelf", "create schema shelf;")
    assert "0001_shelf.sql: changed after it was frozen" in frozen_problems(tree.root)[0]
    with pytest.raises(DeployError, match="changed after it was frozen"):
        freeze(tree.root)


def test_a_frozen_migration_may_not_vanish(tree: SqlTree) -> None:
    second = tree.migration("0002_next", "select 1;")
    freeze(tree.root)
    second.unlink()
    assert frozen_problems(tree.root) == [
        "db/migrations/0002_next.sql: is frozen but gone; restore it"
    ]


def test_a_broken_list_of_frozen_migrations_is_one_line(tree: SqlTree) -> None:
    tree.write("migrations/frozen.txt", "<<<<<<< ours\n")
    with pytest.raises(DeployError, match=r"^db/migrations/frozen.txt:1: expected a sha256"):
        frozen_problems(tree.root)


def test_new_freezes_what_is_there_and_starts_the_next(tree: SqlTree) -> None:
    path = new_migration(tree.root, "add_author")
    assert path == tree.root / "migrations" / "0002_add_author.sql"
    assert path.read_text(encoding="utf-8").startswith("-- 0002_add_author\n-- why\n")
    frozen = (tree.root / "migrations/frozen.txt").read_text(encoding="utf-8")
    assert [line.split()[1] for line in frozen.splitlines()] == ["0001_shelf.sql"]
    # an unfinished one is told what it lacks
    assert any("no statement" in line for line in problems(tree))


@pytest.mark.parametrize("name", ["", "Add", "add-author", "../x", "a" * 3 + " b", "_x"])
def test_new_refuses_a_name_that_is_none(tree: SqlTree, name: str) -> None:
    with pytest.raises(DeployError, match="is no migration name"):
        new_migration(tree.root, name)
    assert [path.name for path in Path(tree.root / "migrations").iterdir()] == ["0001_shelf.sql"]
