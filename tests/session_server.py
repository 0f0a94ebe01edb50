"""The home of the test session's server: its own, and gone at the end."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from db.server import Server, ServerError

PREFIX = "pgkb-test-"


@contextmanager
def session_home() -> Iterator[Path]:
    """Make PGKB_HOME a directory of the session's own, and stop what was started there.

    No test may touch the server of whoever runs the tests, by mistake or because PGKB_DATABASE_URL
    is set in their shell. The directory is not under pytest's own: that one is closed to other
    users, and root's server runs as one.
    """
    _sweep()
    base = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    base.chmod(0o755)
    atexit.register(_clear, base)
    before = dict(os.environ)
    for name in ("PGKB_DATABASE_URL", "PGKB_PORT"):
        os.environ.pop(name, None)
    os.environ["PGKB_HOME"] = str(base / "home")
    try:
        yield base / "home"
    finally:
        os.environ.clear()
        os.environ.update(before)
        _clear(base)
        atexit.unregister(_clear)


def _clear(base: Path) -> None:
    with suppress(ServerError):
        Server(base / "home").stop()
    shutil.rmtree(base, ignore_errors=True)


def _sweep() -> None:
    """Remove what sessions left behind that were killed and could not clear up.

    One session at a time: two that stop the same server and remove the same files would each find
    the other's work half done.
    """
    with _alone():
        for base in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
            owner = base.name.removeprefix(PREFIX).partition("-")[0]
            # a session that ends just now removes its own
            with suppress(FileNotFoundError):
                ours = base.stat().st_uid == os.geteuid()
                if ours and owner.isdecimal() and not psutil.pid_exists(int(owner)):
                    _clear(base)


@contextmanager
def _alone() -> Iterator[None]:
    """Alone among the sessions of this user; the system drops the lock of a dead one."""
    path = Path(tempfile.gettempdir()) / f"{PREFIX}sweep-{os.geteuid()}.lock"
    lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
