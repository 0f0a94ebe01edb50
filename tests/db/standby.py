"""A real streaming standby: PostgreSQL's own pg_basebackup of a server of its own."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import conninfo

from db import deploy
from db.embedded import account, ports, process, settings
from db.server import Server
from tests.session_server import PREFIX

CATCH_UP_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Pair:
    """The URLs of the product's database on the primary and on its standby."""

    primary: str
    standby: str

    def catch_up(self) -> None:
        """Wait until the standby has replayed all that the primary has written."""
        with psycopg.connect(self.primary, autocommit=True) as db:
            written = db.execute("select pg_current_wal_insert_lsn()").fetchone()
        assert written is not None
        deadline = time.monotonic() + CATCH_UP_SECONDS
        with psycopg.connect(self.standby, autocommit=True) as db:
            while time.monotonic() < deadline:
                row = db.execute(
                    "select pg_last_wal_replay_lsn() >= %s::pg_lsn", [written[0]]
                ).fetchone()
                if row == (True,):
                    return
                time.sleep(0.05)
        raise AssertionError("the standby does not catch up")


@contextmanager
def primary_and_standby() -> Iterator[Pair]:
    """Both servers, the product deployed; stopped and removed at the end."""
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as folder:
        base = Path(folder)
        base.chmod(0o755)
        primary = Server(base / "home")
        primary.start(durable=False)
        try:
            primary.ensure_database()
            deploy.deploy(primary.url(), notice=print)
            with _standby(primary, base / "standby") as port:
                url = urlsplit(primary.url())
                moved = url._replace(netloc=f"{url.netloc.rpartition(':')[0]}:{port}")
                yield Pair(primary=primary.url(), standby=moved.geturl())
        finally:
            primary.stop()


@contextmanager
def _standby(primary: Server, base: Path) -> Iterator[int]:
    programs = primary.programs()
    owner = account.server_account(primary.home.data)
    base.mkdir()
    os.chown(base, owner.uid, owner.gid)
    environ = settings.server_environ(os.environ) | programs.loader_environ()
    subprocess.run(
        [programs.bin / "pg_basebackup", "--pgdata", base / "data", "--wal-method", "stream",
         "--write-recovery-conf", "--checkpoint", "fast", "--no-sync",
         "--dbname", conninfo.make_conninfo(primary.url(), dbname="replication")],
        env=environ, cwd="/", check=True, **owner.identity(),
    )  # fmt: skip
    logs = base / "logs"
    logs.mkdir()
    os.chown(logs, owner.uid, owner.gid)
    port = ports.free_port()
    # the primary's own settings, but for where it listens and writes its log
    configuration = primary.home.configuration.read_text() + f"port = {port}\n"
    (base / "postgresql.conf").write_text(configuration)
    process.launch(
        [programs.bin / "postgres", "-D", base / "data",
         "-c", f"config_file={base / 'postgresql.conf'}",
         "-c", f"hba_file={primary.home.access}", "-c", f"log_directory={logs}"],
        account=owner, environ=environ, logs=logs, data=base / "data",
    )  # fmt: skip
    try:
        yield port
    finally:
        process.end(base / "data")
