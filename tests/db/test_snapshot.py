"""schema.sql shows what the files make, the same way on every server."""

from pathlib import Path

import pytest
from psycopg import connect

from db.__main__ import main
from db.dump import as_text, blocks_of, ours, version_major
from db.snapshot import stale_lines, write_snapshot
from db.tree import ROOT, DeployError
from tests.sql_tree import SqlTree


def shadows(url: str) -> int:
    with connect(url) as conn:
        row = conn.execute(
            "select count(*) from pg_database where datname like 'pgkb_shadow_%'"
        ).fetchone()
    return -1 if row is None else int(row[0])


def test_our_schema_sql_is_what_our_files_make(server_url: str) -> None:
    lines = stale_lines(server_url, root=ROOT)
    assert not lines, "\n".join(lines[:60])


def test_a_snapshot_shows_tables_functions_comments_and_grants(
    server_url: str, tree: SqlTree
) -> None:
    before = shadows(server_url)
    text = write_snapshot(server_url, root=tree.root).read_text(encoding="utf-8")
    for expected in (
        "CREATE SCHEMA shelf;",
        "CREATE TABLE shelf.book (",
        "CREATE FUNCTION shelf.count_books() RETURNS bigint",
        "COMMENT ON FUNCTION shelf.count_books() IS 'Does what its test says.';",
        "CREATE TRIGGER book__look AFTER INSERT ON shelf.book",
        "GRANT USAGE ON SCHEMA shelf TO pgkb_reader;",
        "CREATE TABLE deploy.migration (",
    ):
        assert expected in text
    for noise in ("restrict", "Dumped", "SET default", "Owner", "search_path = ''", "vector IS"):
        assert noise not in text
    assert shadows(server_url) == before


def test_two_snapshots_are_equal(server_url: str, tree: SqlTree) -> None:
    first = write_snapshot(server_url, root=tree.root).read_bytes()
    assert write_snapshot(server_url, root=tree.root).read_bytes() == first


def test_a_stale_snapshot_is_shown_as_a_diff(
    server_url: str, tree: SqlTree, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["snapshot", "--root", str(tree.root), "--url", server_url]
    assert main(command) == 0
    assert (tree.root / "migrations/frozen.txt").is_file()
    assert main([*command, "--check"]) == 0
    tree.migration("0002_more", "alter table shelf.book add column pages integer;")
    capsys.readouterr()
    assert main([*command, "--check"]) == 2
    shown = capsys.readouterr().err
    assert "db/schema.sql: is stale; run: python -m db snapshot" in shown
    assert "+    pages integer" in shown


def test_a_body_is_not_repeated_and_yet_a_changed_one_shows(server_url: str, tree: SqlTree) -> None:
    tree.function("page", "select 12", returns="integer")
    text = write_snapshot(server_url, root=tree.root).read_text(encoding="utf-8")
    assert "select 12" not in text
    assert stale_lines(server_url, root=tree.root) == []
    tree.function("page", "select 13", returns="integer")
    assert len([line for line in stale_lines(server_url, root=tree.root) if "sha256" in line]) == 2


def test_a_function_not_every_server_has_is_left_out(server_url: str, tree: SqlTree) -> None:
    tree.function(
        "shout", "return 'HO'", returns="text", language="plpython3u", mark="requires plpython3u"
    )
    text = write_snapshot(server_url, root=tree.root).read_text(encoding="utf-8")
    assert "shout" not in text


def test_files_that_do_not_deploy_leave_no_scratch_database(server_url: str, tree: SqlTree) -> None:
    before = shadows(server_url)
    tree.migration("0002_broken", "select 1 / 0;")
    with pytest.raises(DeployError, match=r"scratch database .*0002_broken.sql: division by zero"):
        write_snapshot(server_url, root=tree.root)
    assert shadows(server_url) == before
    assert not (tree.root / "schema.sql").exists()


def test_a_login_that_may_not_create_databases_is_told_what_to_run(
    plain_url: str, tree: SqlTree
) -> None:
    with pytest.raises(DeployError, match=r"must run: alter role \"plain_\w+\" createdb"):
        write_snapshot(plain_url, root=tree.root)


def test_a_stopped_server_has_no_snapshot(tree: SqlTree) -> None:
    with pytest.raises(DeployError, match="cannot be reached"):
        write_snapshot("postgresql://127.0.0.1:1/none", root=tree.root)


# ---- cutting a dump into objects -----------------------------------------------------------------

DUMP = r"""--
-- PostgreSQL database dump
--

\restrict abc

-- Dumped from database version 15.4

SET statement_timeout = 0;

--
-- Name: shelf; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA shelf;


--
-- Name: zed(); Type: FUNCTION; Schema: shelf; Owner: -
--

CREATE FUNCTION shelf.zed() RETURNS integer
    LANGUAGE sql
    AS $$
-- SET default_tablespace = 'in a body';
SET default_tablespace = '';

select 1
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: book; Type: TABLE; Schema: shelf; Owner: -
--

CREATE TABLE shelf.book (
    title text
);


--
-- Name: COLUMN book.title; Type: COMMENT; Schema: shelf; Owner: -
--

COMMENT ON COLUMN shelf.book.title IS 'A title; of a book.';


--
-- Name: theirs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.theirs (
    n integer
);


--
-- PostgreSQL database dump complete
--

\unrestrict abc

"""


def test_a_dump_is_cut_and_sorted_without_its_noise() -> None:
    text = as_text(ours(blocks_of(DUMP), schemas={"shelf"}, public_names=set()))
    assert text == (
        "CREATE SCHEMA shelf;\n\n"
        "CREATE TABLE shelf.book (\n    title text\n);\n\n"
        "COMMENT ON COLUMN shelf.book.title IS 'A title; of a book.';\n\n"
        "CREATE FUNCTION shelf.zed() RETURNS integer\n    LANGUAGE sql\n    AS $$\n"
        "-- SET default_tablespace = 'in a body';\nSET default_tablespace = '';\n\n"
        "select 1\n$$;\n"
    )


def test_in_public_only_the_named_objects_are_kept() -> None:
    kept = ours(blocks_of(DUMP), schemas=set(), public_names={"theirs"})
    assert [block.name for block in kept] == ["theirs"]


@pytest.mark.parametrize(
    ("shown", "major"),
    [
        ("pg_dump (PostgreSQL) 18.1", 18),
        ("pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", 15),
        ("pg_dump (PostgreSQL) 19devel", 19),
        ("", 0),
    ],
)
def test_the_version_of_pg_dump_is_read(shown: str, major: int) -> None:
    assert version_major(shown) == major


def test_a_missing_pg_dump_is_one_line(
    server_url: str, tree: SqlTree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.setattr("db.dump._embedded_program", lambda _url: None)
    with pytest.raises(DeployError, match=r"^no pg_dump for PostgreSQL \d+ here \(found: none\)"):
        write_snapshot(server_url, root=tree.root)
