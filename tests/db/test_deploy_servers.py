"""Servers a deploy refuses: too old, or without pgvector."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from db.deploy import DeployError, deploy
from db.preflight import server_refusal, vector_refusal, vector_warning
from tests.sql_tree import SqlTree

# PostgreSQL as Debian packages it; pgvector is a package of its own there
SYSTEM_PROGRAMS = Path("/usr/lib/postgresql")
POWERLESS_USER = "nobody"


@pytest.fixture
def bare_url() -> Iterator[str]:
    """A server of the system's own PostgreSQL, which has no pgvector."""
    found = [
        path
        for path in sorted(SYSTEM_PROGRAMS.glob("*"))
        if (path / "bin" / "initdb").is_file()
        and not Path(f"/usr/share/postgresql/{path.name}/extension/vector.control").is_file()
    ]
    if not found:
        pytest.skip(f"no PostgreSQL without pgvector under {SYSTEM_PROGRAMS}")
    programs = found[-1] / "bin"
    # PostgreSQL does not run as root
    user = POWERLESS_USER if os.geteuid() == 0 else None

    def run(*command: str | Path) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=user, cwd="/")

    with TemporaryDirectory(prefix="pgkb-bare-") as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        base = Path(folder)
        if user is not None:
            subprocess.run(["chown", user, base], check=True)
        data = base / "data"
        run(programs / "initdb", "--pgdata", data, "--username=postgres", "--auth=trust", "-N")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={base}"
        control = (programs / "pg_ctl", "--pgdata", data, "--wait")
        run(*control, "--log", base / "log", "--options", options, "start")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            run(*control, "--mode=immediate", "stop")


def test_a_server_without_pgvector_is_refused_with_one_line(bare_url: str, tree: SqlTree) -> None:
    lines: list[str] = []
    with pytest.raises(DeployError) as caught:
        deploy(bare_url, notice=lines.append, root=tree.root)
    message = str(caught.value)
    assert message.startswith("this server has no pgvector: install the pgvector package for")
    assert "\n" not in message
    assert lines == []


@pytest.mark.parametrize("version", [90624, 120022, 140019])
def test_postgresql_before_15_is_refused(version: int) -> None:
    refusal = server_refusal(version)
    assert refusal is not None
    assert f"PostgreSQL {version // 10000} is too old: pgkb needs 15 or newer" in refusal


@pytest.mark.parametrize("version", [150000, 150018, 180001, 190000])
def test_postgresql_from_15_on_is_welcome(version: int) -> None:
    assert server_refusal(version) is None


@pytest.mark.parametrize("version", ["0.4.1", "0.5.0", "0.7.4"])
def test_pgvector_before_0_8_0_is_refused(version: str) -> None:
    refusal = vector_refusal(version)
    assert refusal is not None
    assert refusal.startswith(f"pgvector {version} is too old")


@pytest.mark.parametrize(
    ("version", "warned"),
    [
        ("0.8.0", True),
        ("0.8.3", True),
        ("0.8.4", False),
        ("0.8.10", False),
        ("0.10.0", False),
        ("1.0.0", False),
    ],
)
def test_pgvector_before_0_8_4_is_warned_about(version: str, *, warned: bool) -> None:
    assert vector_refusal(version) is None
    assert (vector_warning(version) is not None) == warned
