"""The examples of docs/clients do what docs/api.md says they do, against a running server."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.access.user import Role
from app.asgi import create_app
from app.settings import from_environ
from db.server import psql_command
from tests.app.library import KENT
from tests.app.people import sign_in
from tests.app.running import running

REPOSITORY = Path(__file__).resolve().parents[2]
CLIENTS = REPOSITORY / "docs" / "clients"
QUESTION = "my child was excluded from a Kent school"
ACCOUNT = {"email": "clients@example.org", "password": "a password of some words"}


@pytest.fixture(scope="module")
def environ(library_url: str) -> Iterator[dict[str, str]]:
    """A server that somebody with an account may ask."""
    settings = from_environ({}, database_url=library_url)
    app = create_app(settings)
    with running(app, settings) as server:
        admin = sign_in(app, Role.ADMIN)
        made = httpx.post(
            f"{server.url}/api/admin/users",
            headers=admin.headers,
            json=ACCOUNT | {"role": "parent"},
        )
        assert made.status_code == 201, made.text
        yield os.environ | {
            "PGKB_URL": server.url,
            "PGKB_EMAIL": ACCOUNT["email"],
            "PGKB_PASSWORD": ACCOUNT["password"],
        }


def _command(name: str) -> list[str]:
    programs = {".py": sys.executable, ".mjs": "node", ".sh": "sh"}
    program = programs[Path(name).suffix]
    needed = {"node": "node", "sh": "jq"}.get(program)
    if needed and not shutil.which(needed):
        pytest.skip(f"{needed} is not installed")
    return [program, str(CLIENTS / name)]


@pytest.mark.parametrize("name", ["ask.py", "ask.mjs", "ask.sh"])
def test_an_example_signs_in_searches_and_cites(environ: dict[str, str], name: str) -> None:
    ended = subprocess.run(
        [*_command(name), QUESTION, KENT], env=environ, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    *titles, quote = ended.stdout.strip().splitlines()
    assert "la: Kent inclusion advisers" in titles
    assert quote.startswith("“")
    assert quote.endswith("”")


@pytest.mark.parametrize("name", ["ask.py", "ask.mjs", "ask.sh"])
def test_an_example_that_is_refused_says_why(environ: dict[str, str], name: str) -> None:
    ended = subprocess.run(
        [*_command(name), QUESTION, "E99999999"], env=environ, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode != 0
    assert "E99999999" in ended.stderr + ended.stdout


def test_the_example_for_psql_finds_and_cites(library_url: str) -> None:
    command, environ = psql_command(
        library_url, "-qX", "-v", "ON_ERROR_STOP=1", "-v", f"question={QUESTION}",
        "-v", f"la={KENT}", "-f", str(CLIENTS / "ask.sql"),
    )  # fmt: skip
    ended = subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "la: Kent inclusion advisers" in ended.stdout
    assert ended.stdout.strip().endswith("”")


def test_every_example_is_named_in_the_documentation() -> None:
    text = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")
    for path in CLIENTS.iterdir():
        assert f"clients/{path.name}" in text
