"""schemathesis walks the OpenAPI document against the real server: no answer is a 5xx.

Five seconds for each kind of caller in the suite; PGKB_SCHEMATHESIS_SECONDS=600 looks longer.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from app.access.user import Role
from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import OPEN, fill_library
from tests.app.people import sign_in
from tests.app.running import running

SECONDS = int(os.environ.get("PGKB_SCHEMATHESIS_SECONDS", "5"))
# these end the account or the session that everything else is asked with
_ENDS = r"^/api/(me/?|auth/(logout-everywhere|password))$"


@pytest.mark.parametrize("role", [None, Role.PARENT, Role.ADMIN], ids=str)
def test_nothing_that_fits_the_description_or_nearly_does_is_a_server_error(
    db: psycopg.Connection, db_url: str, tmp_path: Path, role: Role | None
) -> None:
    fill_library(db)
    environ = {
        **(OPEN if role is None else {}),
        "PGKB_UPLOAD_DIR": str(tmp_path / "uploads"),
        # no worker reads what is handed in here
        "PGKB_UPLOAD_WAIT_SECONDS": "0",
    }
    settings = from_environ(environ, database_url=db_url)
    app = create_app(settings)
    with running(app, settings) as server:
        token = [] if role is None else ["--header", _bearer(sign_in(app, role).headers)]
        report = tmp_path / "report.ndjson"
        ended = subprocess.run(
            [
                sys.executable, "-m", "schemathesis.cli", "run",
                f"{server.url}/schema/openapi.json",
                "--checks", "not_a_server_error", "--max-time", str(SECONDS),
                "--seed", "7", "--continue-on-failure", "--warnings", "off",
                "--exclude-path-regex", _ENDS, "--request-timeout", "30",
                "--suppress-health-check", "all", "--generation-database", "none",
                "--report", "ndjson", "--report-ndjson-path", str(report), "--no-color",
                *token,
            ],
            capture_output=True, text=True, timeout=SECONDS + 120, cwd=tmp_path, check=False,
        )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    asked = sum("ScenarioFinished" in json.loads(line) for line in report.read_text().splitlines())
    assert asked > 10


def _bearer(headers: dict[str, str]) -> str:
    return f"Authorization: {headers['Authorization']}"
