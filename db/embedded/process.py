"""One PostgreSQL server process: find it, launch it, wait for it, end it.

pg_ctl does nearly this. It is not used because it passes the options through a shell, trusts a
process number that another program may have by now, and says only "could not start server".
"""

import contextlib
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from psycopg.pq import PGconn, Ping

from db.embedded.account import Account

START_SECONDS = 60
STOP_SECONDS = 60
RECOVERY_SECONDS = 10
KILL_SECONDS = 10
POLL_SECONDS = 0.02
# what every server says at its start and end, whatever happened in between
ROUTINE = re.compile(
    r"starting PostgreSQL|listening on|redirecting log|Future log output|is shut down"
)

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

    def accepts(self) -> bool:
        """Whether it takes connections. One that recovers from a crash still says it is ready."""
        where = f"host=127.0.0.1 port={self.port} dbname=postgres connect_timeout=5"
        return self.ready and PGconn.ping(where.encode()) == Ping.OK


def find_postmaster(data: Path) -> Postmaster | None:
    """The server that runs on this data directory; None when its pid file is absent or stale.

    Raises PermissionError when the directory belongs to somebody else.
    """
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        pid, port = abs(int(lines[0])), int(lines[3])
    except (FileNotFoundError, NotADirectoryError, IndexError, ValueError):
        return None
    if not _runs_on(pid, data):
        return None
    return Postmaster(pid=pid, port=port, ready=lines[7:] != [] and lines[7].strip() == "ready")


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
        if found is not None and found.pid == pid and found.accepts():
            return found
        if not _alive(pid):
            raise LaunchError(_last_words(logs, before))
        time.sleep(POLL_SECONDS)
    raise StillStartingError


def wait_until_ready(data: Path, *, seconds: float = START_SECONDS) -> Postmaster | None:
    """The server on this directory, once it takes connections; None when none runs.

    Raises StillStartingError when that takes longer.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = find_postmaster(data)
        if found is None or found.accepts():
            return found
        time.sleep(POLL_SECONDS)
    raise StillStartingError


def end(data: Path) -> bool:
    """Shut the server down: clients are cut off, data is written. False when it does not end.

    A server that recovers from a crash is let finish first: PostgreSQL 18.1 that is asked in that
    moment may never end. One that does not end is told to drop everything, which loses nothing:
    the next start recovers.
    """
    with contextlib.suppress(StillStartingError):
        wait_until_ready(data, seconds=RECOVERY_SECONDS)
    for signal_number, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, KILL_SECONDS)):
        found = find_postmaster(data)
        if found is None:
            return True
        with contextlib.suppress(ProcessLookupError):
            os.kill(found.pid, signal_number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not _alive(found.pid):
                return True
            time.sleep(POLL_SECONDS)
    return False


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
    """The last two lines that tell something, without the time before them."""
    lines: list[str] = []
    for file in [logs / "start.log", *sorted(logs.glob("server-*.log"))]:
        with file.open(errors="replace") as said:
            said.seek(before.get(file, 0))
            lines += [line.strip() for line in said if line.strip() and not ROUTINE.search(line)]
    spoken = [re.sub(r"^.*?\b(FATAL|PANIC|LOG):\s+", "", line) for line in lines[-2:]]
    return "; ".join(spoken) or "it ended without a word"
