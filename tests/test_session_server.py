"""The sweep of what killed test sessions left behind, while other sessions begin and end."""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests import session_server


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def _dead() -> int:
    """The id of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_two_sessions_that_sweep_at_once_clear_a_leftover_once(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = temporary / f"{session_server.PREFIX}{_dead()}-abc"
    left.mkdir()
    cleared: list[Path] = []

    def clear(base: Path) -> None:
        cleared.append(base)
        time.sleep(0.2)  # as long as a server takes to stop
        base.rmdir()

    monkeypatch.setattr(session_server, "_clear", clear)
    barrier = Barrier(2)

    def sweep() -> None:
        barrier.wait(10)
        session_server._sweep()

    with ThreadPoolExecutor(2) as pool:
        for session in [pool.submit(sweep) for _ in range(2)]:
            session.result(30)
    assert cleared == [left]


def test_a_directory_that_goes_while_it_is_looked_at_is_no_error(temporary: Path) -> None:
    (temporary / f"{session_server.PREFIX}{_dead()}-gone").symlink_to(temporary / "nowhere")
    session_server._sweep()


def test_a_session_that_lives_keeps_its_home(temporary: Path) -> None:
    own = temporary / f"{session_server.PREFIX}{os.getpid()}-own"
    own.mkdir()
    session_server._sweep()
    assert own.is_dir()
