"""Whatever goes wrong is one line: what, why, what to do. Exit code 2, no traceback."""

import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import REPOSITORY, environment, pgkb, pgkb_here

COMMANDS = (
    "up", "down", "status", "psql", "ingest", "search", "ask", "serve", "worker", "pack", "doctor",
    "demo", "crawl", "ingest-status", "eval", "tune", "bench", "reembed", "upkeep", "rebuild-index",
    "documents", "jobs", "load", "users",
)  # fmt: skip
NOWHERE = "postgresql://someone:hunter2@127.0.0.1:1/pgkb"


@pytest.fixture
def occupied_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def _seconds_of_children() -> float:
    """Processor time of all processes this one has waited for; who else is busy adds nothing."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_lists_every_command_and_starts_quickly() -> None:
    before = _seconds_of_children()
    ended = pgkb("--help")
    assert ended.code == 0
    assert not [name for name in COMMANDS if f"\n  {name} " not in ended.out]
    # half a second; the bound only catches a heavy import
    assert _seconds_of_children() - before < 3


def test_help_loads_neither_drivers_nor_models() -> None:
    heavy = ["asyncpg", "psycopg", "litestar", "openai", "onnxruntime", "numpy", "uvicorn"]
    shown = subprocess.run(
        [
            sys.executable, "-c",
            "import sys; from cli.main import run; run(['--help']);"
            f"print(sorted(set({heavy!r}) & set(sys.modules)), file=sys.stderr)",
        ],
        env=environment(), cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stderr.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    ended = pgkb_here(command, "--help")
    assert ended.code == 0
    assert ended.out.lower().startswith((f"usage: pgkb {command}", f"usage: python -m {command}"))
    assert ended.err == ""


def test_without_a_command_the_help_is_printed() -> None:
    assert pgkb_here().out == pgkb_here("--help").out


def test_version_is_one_line() -> None:
    ended = pgkb("--version")
    assert ended.code == 0
    assert ended.out.startswith("pgkb ")
    assert ended.out.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["asks"], "No such command"),
        (["ask"], "Missing argument"),
        (["ask", ""], "the question is empty"),
        (["ask", "x" * 4001], "4,001 characters"),
        (["ask", "hello", "--la"], "requires an argument"),
        (["ask", "hello", "--top-k", "0"], "--top-k"),
        (["ask", "hello", "--colour", "red"], "No such option"),
        (["crawl", "site", "--la", "E10000016", "--delay", "-1"], "--delay"),
        (["crawl", "site", "--la", "E10000016", "--depth", "99999999999"], "--depth"),
        (["crawl", "site", "--la", "E10000016", "--pages", "0"], "--pages"),
        (["crawl", "pause", "99999999999999999999"], "JOB"),
        (["serve", "--port", "70000"], "--port"),
        (["serve", "--host", "0.0.0.0"], "--allow-remote"),  # noqa: S104 - refused, not bound
    ],
)
def test_unusable_arguments_are_refused_in_one_line(arguments: list[str], about: str) -> None:
    ended = pgkb_here(*arguments, PGKB_DATABASE_URL=NOWHERE)
    assert ended.code == 2
    assert about in ended.line()
    assert ended.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["up"],
        ["status"],
        ["search", "who can help?"],
        ["ask", "who can help?"],
        ["worker", "--once"],
        ["serve", "--port", "0"],
        ["pack", "load", "packs/send"],
        ["ingest", "README.md"],
    ],
)
def test_an_unreachable_database_is_one_line_without_its_password(arguments: list[str]) -> None:
    ended = pgkb(*arguments, PGKB_DATABASE_URL=NOWHERE)
    assert ended.code == 2
    line = ended.line()
    assert "cannot be reached" in line
    assert "hunter2" not in ended.err + ended.out


@pytest.mark.parametrize("arguments", [["ask", "who can help?"], ["serve"], ["psql"]])
def test_without_a_database_the_first_step_is_named(arguments: list[str], tmp_path: Path) -> None:
    ended = pgkb_here(*arguments, PGKB_HOME=str(tmp_path / "home"))
    assert ended.code == 2
    assert "pgkb up" in ended.line()


def test_a_database_url_of_another_kind_is_refused() -> None:
    ended = pgkb_here("ask", "who can help?", PGKB_DATABASE_URL="mysql://someone:hunter2@db/pgkb")
    assert ended.code == 2
    assert "not a PostgreSQL URL" in ended.line()
    assert "hunter2" not in ended.err


def test_an_occupied_port_is_refused_before_anything_starts(
    occupied_port: int, library_url: str
) -> None:
    ended = pgkb_here("serve", "--port", str(occupied_port), PGKB_DATABASE_URL=library_url)
    assert ended.code == 2
    line = ended.line()
    assert str(occupied_port) in line
    assert "in use" in line
    assert "--port" in line


@pytest.mark.parametrize(
    ("variable", "value"), [("RAG_TOP_K", "many"), ("RAG_TOP_K", "5000"), ("RAG_RRF_K", "0")]
)
def test_a_setting_the_database_refuses_names_its_variable(
    variable: str, value: str, library_url: str
) -> None:
    ended = pgkb_here("ask", "who?", PGKB_DATABASE_URL=library_url, **{variable: value})
    assert ended.code == 2
    line = ended.line()
    assert variable in line
    assert value in line


@pytest.mark.parametrize(
    ("option", "value"), [("--la", "E99999999"), ("--home-la", "Atlantis"), ("--urn", "123456")]
)
def test_an_unknown_place_is_refused_with_what_to_do(
    option: str, value: str, library_url: str
) -> None:
    ended = pgkb_here("ask", "who can help?", option, value, PGKB_DATABASE_URL=library_url)
    assert ended.code == 2
    line = ended.line()
    assert value in line
    assert "select" in line


def test_debugging_shows_the_traceback_and_still_the_line() -> None:
    ended = pgkb("ask", "who can help?", PGKB_DATABASE_URL=NOWHERE, PGKB_DEBUG="1")
    assert "Traceback" in ended.err
    assert ended.err.splitlines()[-1].startswith("pgkb: ")


def test_a_reader_that_leaves_ends_the_command_quietly(library_url: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "cli.main", "search", "exclusion from school", "--json"],
        env=environment(PGKB_DATABASE_URL=library_url),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert complaint == b""


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest", "README.md", "--la", ""],
        ["ingest", "README.md", "--urn", "  "],
        ["ingest", ""],
        ["search", "taxi", "--la", " "],
        ["ask", "taxi", "--home-la", ""],
    ],
)
def test_a_blank_value_is_refused_and_never_means_everywhere(arguments: list[str]) -> None:
    ended = pgkb_here(*arguments)
    assert ended.code == 2
    assert "is blank" in ended.err
    assert len(ended.err.strip().splitlines()) == 1


def test_an_unknown_key_of_a_manifest_is_refused(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text('{"path": "a.txt", "la": "E08000025"}\n', encoding="utf-8")
    ended = pgkb_here("ingest", "--manifest", manifest)
    assert ended.code == 2
    assert "unknown key la" in ended.err
