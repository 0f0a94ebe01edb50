"""Run `pgkb` and keep how it ended."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be exactly one JSON document."""
        return json.loads(self.out)

    def line(self) -> str:
        """The one line of a refusal; fails when there is more or less than one."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("pgkb: ")
        assert "Traceback" not in self.err
        return lines[0]


def environment(**extra: str) -> dict[str, str]:
    """This process's environment without what would lead to somebody's own database."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PGKB_", "RAG_", "CHUNK_", "OPENAI_", "AZURE_OPENAI_"))
    }
    return kept | {"PYTHONPATH": str(REPOSITORY)} | extra


def pgkb(*arguments: str | Path, **environ: str) -> Ended:
    """Run a command as a process of its own; keyword arguments are environment variables."""
    done = subprocess.run(
        [sys.executable, "-m", "cli.main", *map(str, arguments)],
        env=environment(**environ),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=180,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def pgkb_here(*arguments: str | Path, **environ: str) -> Ended:
    """The same within this process: a second quicker, for what needs no process to show."""
    from cli.main import run

    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, environment(**environ), clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run(list(map(str, arguments)))
    return Ended(code, out.getvalue(), err.getvalue())
