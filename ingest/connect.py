"""How ingest connects: autocommit, so that no transaction is open while it waits for others."""

import os
import socket

import psycopg


def connect(url: str) -> psycopg.Connection:
    """A connection on which every statement is its own transaction."""
    return psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=10,
        application_name="pgkb ingest",
        keepalives_idle=30,
        keepalives_interval=10,
        keepalives_count=3,
    )


def holder_name() -> str:
    """Who holds a lease: this process, in a way people can find it by."""
    return f"{socket.gethostname()}/{os.getpid()}"
