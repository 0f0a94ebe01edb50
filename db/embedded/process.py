"""One PostgreSQL server process: find it, launch it, wait for it, end it.

pg_ctl does nearly this. It is not used because it passes the options through a shell, trusts a
process number that another program may have by now, and says only "could not start server".
"""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from db.embedded.account import Account

START_SECONDS = 60
STOP_SECONDS = 60
POLL_SECONDS = 0.02

# $0 is the file for what is said before the server's own log opens. The shell ends at once and
# the server stays, a child of nobody here: it must outlive us and never be our zombie.
LAUNCHER = '"$@" </dev/null >"$0" 2>&1 & echo $!'


class LaunchError(Exception):
    """The server did not come up; the message is what it said itself."""


class StillStartingError(Exception):
    """The server runs but does not take connections yet: it is recovering from a crash."""


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A live server as its pid file tells it."""

    pid: int
    port: int
    ready: bool


def find_postmaster(data: Path) -> Postmaster | None:
    """The server that runs on this data directory; None when its pid file is absent or stale.

    Raises PermissionError when the directory belongs to somebody else.
    """
    lines = _pid_file_lines(data)
    if len(lines) < 4:
        return None
    pid, port = abs(int(lines[0])), int(lines[3])
    if not _runs_on(pid, data):
        return None
    return Postmaster(pid=pid, port=port, ready=len(lines) > 7 and lines[7].strip() == "ready")


def remove_stale_pid_file(data: Path) -> None:
    """Forget a server that was killed. Needs the lock and `find_postmaster` to have said None.

    PostgreSQL does so itself, unless another program has got the old process number meanwhile.
    """
    (data / "postmaster.pid").unlink(missing_ok=True)


def launch(
    command: list[str | Path], *, account: Account, environ: dict[str, str], logs: Path, data: Path
) -> Postmaster:
    """Start the server and wait until it takes connections.

    Raises LaunchError with the server's own words, StillStartingError after START_SECONDS.
    """
    before = _log_sizes(logs)
    shell = subprocess.run(
        ["/bin/sh", "-c", LAUNCHER, logs / "start.log", *command],
        env=environ, cwd="/", start_new_session=True, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, **account.identity(),
    )  # fmt: skip
    if not shell.stdout.strip():
        raise LaunchError(" ".join(shell.stderr.split()) or "the shell could not start it")
    pid = int(shell.stdout)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        found = find_postmaster(data)
        if found is not None and found.pid == pid and found.ready:
            return found
        if not _alive(pid):
            raise LaunchError(_last_words(logs, before))
        time.sleep(POLL_SECONDS)
    raise StillStartingError


def wait_until_ready(data: Path) -> Postmaster | None:
    """Wait for a server that somebody else launched; None when it ended meanwhile."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        found = find_postmaster(data)
        if found is None or found.ready:
            return found
        time.sleep(POLL_SECONDS)
    raise StillStartingError


def end(postmaster: Postmaster) -> bool:
    """Ask for a fast shutdown (clients are cut off, data is written); False when it takes long."""
    try:
        os.kill(postmaster.pid, signal.SIGINT)
    except ProcessLookupError:
        return True
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline:
        if not _alive(postmaster.pid):
            return True
        time.sleep(POLL_SECONDS)
    return False


def _pid_file_lines(data: Path) -> list[str]:
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def _alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _runs_on(pid: int, data: Path) -> bool:
    """Whether that process is a server on this directory, not a stranger with a reused number.

    A server's working directory is its data directory. When we may not look, it counts as one:
    taking a live server for a dead one would be the worse mistake.
    """
    try:
        return _alive(pid) and Path(psutil.Process(pid).cwd()).samefile(data)
    except psutil.NoSuchProcess:
        return False
    except (psutil.AccessDenied, FileNotFoundError):
        return True


def _log_sizes(logs: Path) -> dict[Path, int]:
    return {file: file.stat().st_size for file in logs.glob("server-*.log")}


def _last_words(logs: Path, before: dict[Path, int]) -> str:
    """What the server said last: its FATAL line when there is one, without the time before it."""
    lines: list[str] = []
    for file in [logs / "start.log", *sorted(logs.glob("server-*.log"))]:
        with file.open(errors="replace") as said:
            said.seek(before.get(file, 0))
            lines += [line.strip() for line in said if line.strip()]
    telling = [line for line in lines if re.search(r"\b(FATAL|PANIC|could not)\b", line)]
    spoken = [re.sub(r"^.*?\b(FATAL|PANIC|LOG):\s+", "", line) for line in (telling or lines)[-2:]]
    return "; ".join(spoken) or "it ended without a word"
