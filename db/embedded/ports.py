"""Loopback ports: which are free, and who sits on one that is not."""

import contextlib
import random
import socket

import psutil

# below the range from which the system hands out ports to outgoing connections
CANDIDATES = range(20000, 30000)


def bind(port: int) -> None:
    """Take the port for a moment. Raises OSError when it is in use or not ours to take."""
    with socket.socket() as probe:
        # as the server itself does: a port whose last connections are only fading is free
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))


def free_port() -> int:
    """Any free port. Another program may take it before the server does."""
    for port in random.sample(CANDIDATES, 100):
        with contextlib.suppress(OSError):
            bind(port)
            return port
    raise OSError(f"no free port was found between {CANDIDATES.start} and {CANDIDATES.stop}")


def listener(port: int) -> str:
    """Who listens there, as far as this user may know."""
    with contextlib.suppress(psutil.Error, OSError):
        for connection in psutil.net_connections("tcp"):
            if connection.status != psutil.CONN_LISTEN or connection.laddr.port != port:
                continue
            if connection.pid:
                name = psutil.Process(connection.pid).name()
                return f"another program ({name}, process {connection.pid})"
    return "another program"
