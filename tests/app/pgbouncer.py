"""A real PgBouncer in transaction mode, on loopback, as a normal user."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.callers import Caller


@contextmanager
def pooling(url: str, caller: Caller, *, connections: int = 3) -> Iterator[str]:
    """The same database behind a pooler, which root may not be; yields the URL of it."""
    program = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
    if not Path(program).exists():
        pytest.skip("PgBouncer is not installed: apt-get install pgbouncer")
    place = urlsplit(url)
    name, user = place.path.lstrip("/"), unquote(place.username or "")
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="pgkb-pooler-") as made:
        folder = Path(made)
        users = folder / "users.txt"
        users.write_text(f'"{user}" "{unquote(place.password or "")}"\n')
        settings = folder / "pgbouncer.ini"
        settings.write_text(
            "[databases]\n"
            f"{name} = host={place.hostname} port={place.port} dbname={name}\n"
            "[pgbouncer]\n"
            f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = trust\nauth_file = {users}\npool_mode = transaction\n"
            f"default_pool_size = {connections}\nmax_client_conn = 200\n"
            # the next transaction gets the connection that was idle longest: never one's own
            "server_round_robin = 1\n"
        )
        folder.chmod(0o755)
        with subprocess.Popen(
            [program, str(settings)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **caller.identity,
        ) as pooler:
            try:
                _wait_for(port, pooler)
                yield place._replace(netloc=f"{place.username}@127.0.0.1:{port}").geturl()
            finally:
                pooler.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, pooler: "subprocess.Popen[bytes]") -> None:
    for _ in range(200):
        if pooler.poll() is not None:
            raise RuntimeError(f"PgBouncer ended: {pooler.stdout and pooler.stdout.read()!r}")
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.05)
    raise RuntimeError("PgBouncer did not start")
