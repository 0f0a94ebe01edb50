"""The one directory that holds everything of a server, and the lock that guards it."""

import contextlib
import errno
import fcntl
import os
import re
import secrets
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from db.embedded import ports

LOCK_SECONDS = 180
# PostgreSQL's own programs call each other through a shell, with the path between double quotes
UNUSABLE = re.compile(r"""["$`\\]|[^ -~\u00a0-\U0010ffff]""")


class HomeError(Exception):
    """The home cannot be used; the message says what, why and what to do."""


class Home:
    """Paths and small files of one home. Nothing is touched until a method is called."""

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().resolve()
        self.data = self.root / "data"
        self.logs = self.root / "log"
        self.configuration = self.root / "postgresql.conf"
        self.access = self.root / "pg_hba.conf"
        self.password = self.root / "password"
        self.token = self.root / "token_key"
        self.port = self.root / "port"
        self.lock = self.root / "lock"

    def log_file(self) -> Path:
        """The log file written last; before the first start, the directory it will be in."""
        with contextlib.suppress(OSError):
            files = list(self.logs.glob("*.log"))
            return max(files, key=lambda file: file.stat().st_mtime, default=self.logs)
        return self.logs

    @contextlib.contextmanager
    def locked(self, *, create: bool) -> Iterator[None]:
        """Hold the home for one process at a time; the lock goes when its holder dies."""
        if create:
            self._claim()
        descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._wait_for(descriptor)
            yield
        finally:
            os.close(descriptor)

    def kept_port(self) -> int | None:
        """The port of the last start."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, ValueError):
            return int(self.port.read_text())
        return None

    def secret(self) -> str:
        """The superuser's password, made once; it is on disk before the data that needs it."""
        if not self.password.exists():
            write_file(self.password, secrets.token_urlsafe(24) + "\n", mode=0o600)
        return self.password.read_text()

    def token_key(self) -> str:
        """The key that access tokens are signed with, made once, for this machine's own."""
        with self.locked(create=True):
            if not self.token.exists():
                write_file(self.token, secrets.token_hex(32) + "\n", mode=0o600)
            return self.token.read_text().strip()

    def refuse_occupied(self, port: int) -> None:
        """Raises HomeError when the server could not listen on this port."""
        try:
            ports.bind(port)
        except OSError as problem:
            if problem.errno == errno.EADDRINUSE:
                why = f"is in use by {ports.listener(port)}"
                remedy = "stop that program or set PGKB_PORT to a free port"
            elif problem.errno == errno.EACCES:
                why, remedy = "needs rights this user lacks", "set PGKB_PORT to one above 1023"
            else:
                why, remedy = f"fails ({problem.strerror})", "set PGKB_PORT to another one"
            raise HomeError(
                f"port {port} on 127.0.0.1 {why}, so the database server cannot start; {remedy}"
            ) from None

    def _claim(self) -> None:
        """Make the home, or see that it is ours: we put programs in it and run them."""
        if UNUSABLE.search(str(self.root)):
            raise HomeError(
                f"PostgreSQL cannot work in {str(self.root)!r}; set PGKB_HOME to a path without "
                'line breaks and the characters " $ ` and \\'
            )
        self.root.mkdir(parents=True, exist_ok=True)
        owner = self.root.stat().st_uid
        if owner != os.geteuid():
            raise HomeError(
                f"{self.root} belongs to another user (number {owner}); run pgkb as that user or "
                "set PGKB_HOME to a directory of your own"
            )
        names = {entry.name for entry in self.root.iterdir()}
        if names and self.lock.name not in names:
            raise HomeError(
                f"{self.root} holds other files and is no pgkb home; set PGKB_HOME to a directory "
                "that is empty or does not exist yet"
            )
        if not names:
            # root's server runs as another user, who has to get through to the data
            self.root.chmod(0o755 if os.geteuid() == 0 else 0o700)

    def _wait_for(self, descriptor: int) -> None:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise HomeError(
                        f"another pgkb has held {self.lock} for {LOCK_SECONDS} s; wait for it or "
                        "end it, then run the command again"
                    ) from None
                time.sleep(0.05)


def sync_directory(directory: Path) -> None:
    """Make renames inside it survive a crash of the machine."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(file: Path, text: str, *, mode: int) -> None:
    """Write through another name, so that a file is whole or absent, also after a crash."""
    descriptor, scratch = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    with os.fdopen(descriptor, "w") as stream:
        os.fchmod(descriptor, mode)
        stream.write(text)
        stream.flush()
        os.fsync(descriptor)
    Path(scratch).rename(file)
    sync_directory(file.parent)
