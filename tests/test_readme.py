"""The README is true: its commands run, its example answers as shown, the files it names exist."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
VARIABLE = r"(?:PGKB|RAG|OPENAI|AZURE_OPENAI|OTEL)_[A-Z0-9_]*[A-Z0-9]|CHUNK_EXPANSION_ENABLED"


@dataclass(frozen=True, slots=True)
class Example:
    """A command of the README and, when it is shown, what it prints."""

    command: str
    output: str | None


def examples() -> list[Example]:
    """Every command of the sh blocks in order; a text block right after one is its output."""
    found: list[Example] = []
    for block in re.finditer(r"```sh\n(.*?)```\n(?:\n?```text\n(.*?)```)?", README, re.DOTALL):
        commands: list[str] = []
        for line in block.group(1).splitlines():
            if commands and commands[-1].count('"') % 2:
                commands[-1] += "\n" + line
            elif line.strip():
                commands.append(line)
        found += [Example(command, None) for command in commands[:-1]]
        found.append(Example(commands[-1], block.group(2)))
    return found


def arguments(example: Example) -> list[str]:
    """The command as a list, with the programs of the environment the tests run in."""
    words = shlex.split(example.command, comments=True)
    return [
        str(BIN / Path(words[0]).name) if words[0].startswith(".venv/") else words[0],
        *words[1:],
    ]


@pytest.fixture(scope="module")
def home() -> Iterator[dict[str, str]]:
    """The environment of somebody who has just run `make demo`, in a home of its own."""
    folder = Path(tempfile.mkdtemp(prefix="pgkb-readme-"))
    folder.chmod(0o755)
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("PGKB_", "OPENAI_", "AZURE_"))},
        "PGKB_HOME": str(folder / "home"),
        "COLUMNS": "120",
    }
    try:
        # what the target demo of the Makefile runs
        run([str(BIN / "pgkb"), "demo"], environment, timeout=400)
        yield environment
    finally:
        subprocess.run([str(BIN / "pgkb"), "down"], cwd=REPOSITORY, env=environment, check=False)
        shutil.rmtree(folder, ignore_errors=True)


def run(command: list[str], environment: dict[str, str], *, timeout: float = 120) -> str:
    done = subprocess.run(
        command,
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def rows(table: str) -> list[list[str]]:
    """The cells of a psql table."""
    return [
        [cell.strip() for cell in line.split("|")] for line in table.splitlines() if "|" in line
    ]


def test_the_commands_of_the_readme_work_in_its_order(home: dict[str, str]) -> None:
    ran = 0
    for example in examples():
        command = arguments(example)
        if command[0] == "make" or "serve" in command:
            continue
        printed = run(command, home)
        ran += 1
        if example.output is not None:
            shown, got = rows(example.output), rows(printed)
            assert [r[:2] + r[3:] for r in shown] == [r[:2] + r[3:] for r in got]
            for said, is_ in zip(shown[1:], got[1:], strict=True):
                # the model's arithmetic differs a little between processors
                assert float(said[2]) == pytest.approx(float(is_[2]), abs=0.03)
    assert ran >= 11
    assert sum(example.output is not None for example in examples()) == 2


def test_the_server_of_the_readme_answers(home: dict[str, str]) -> None:
    (serve,) = [e for e in examples() if "serve" in arguments(e)]
    run([str(BIN / "pgkb"), "up"], home)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*arguments(serve), "--port", str(port)],
        cwd=REPOSITORY,
        env=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                ready = f"http://127.0.0.1:{port}/health/ready"
                with urllib.request.urlopen(ready, timeout=5) as answer:
                    assert answer.status == 200
                    break
            except OSError:
                assert process.poll() is None, "pgkb serve ended"
                assert time.monotonic() < deadline, "pgkb serve did not answer"
                time.sleep(0.2)
    finally:
        process.terminate()
        process.wait(20)


def test_every_make_target_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"make ([a-z]+)", README))
    assert named
    assert named <= targets


def test_every_make_target_has_help() -> None:
    listed = subprocess.run(
        ["make", "-s", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout
    for target in ("demo", "test", "check", "bench", "up", "down", "diff", "snapshot"):
        assert re.search(rf"^{target} +\S", listed, re.MULTILINE), target


def test_every_file_and_room_named_exists() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    rooms = re.findall(r"^\| `([a-z/]+)`", README, re.MULTILINE)
    assert len(rooms) >= 8
    for name in [*links, *rooms]:
        assert (REPOSITORY / name).exists(), name


def test_every_variable_the_program_reads_is_documented_and_no_other() -> None:
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    told = set(re.findall(r"`(\w+)`", "\n".join(page.read_text("utf-8") for page in pages)))
    read: set[str] = set()
    for room in ("app", "cli", "db", "ingest", "providers"):
        for file in (REPOSITORY / room).rglob("*.py"):
            read |= set(re.findall(rf'"({VARIABLE})"', file.read_text("utf-8")))
    assert len(read) > 40
    assert read - told == set()
    compose = (REPOSITORY / "docker-compose.yml").read_text("utf-8")
    tests = {"PGKB_SHARED_DATA", "PGKB_NO_SKIP", "PGKB_TEST_KILLS"}
    known = read | tests | set(re.findall(VARIABLE, compose))
    assert {name for name in told if re.fullmatch(VARIABLE, name)} - known == set()


def test_every_page_of_docs_links_to_what_exists() -> None:
    pages = [*(REPOSITORY / "docs").rglob("*.md"), *REPOSITORY.glob("*/README.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_every_function_named_exists() -> None:
    functions = {path.stem for path in (REPOSITORY / "db" / "functions").rglob("*.sql")}
    named = set(
        re.findall(
            r"\b(?:search_kb|search_text|explain_search|explain_text|why_not|why_not_text|"
            r"resolve_la|[a-z]+_leg|visible_scopes|fuse|weigh|apply_floor|choose|assemble|"
            r"stage_document|publish_version|chunk_text)\b",
            README,
        )
    )
    assert len(named) >= 15
    assert named <= functions
