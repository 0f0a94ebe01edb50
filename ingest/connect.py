"""How ingest connects: autocommit, so that no transaction is open while it waits for others."""

import os
import socket
import time

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


class PatientConnection:
    """A connection that is opened again when the server went away, so many times in all."""

    def __init__(self, url: str, *, tries: int = 5) -> None:
        self._url = url
        self._left = tries
        self._db: psycopg.Connection | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is one now."""
        return self._db is not None and not self._db.closed

    def get(self) -> psycopg.Connection:
        """The connection. Raises OperationalError when the patience is used up."""
        pause = 0.5
        while self._db is None or self._db.closed:
            try:
                self._db = connect(self._url)
            except psycopg.OperationalError:
                # the patience is for the whole run, not for each of a thousand files
                self._left -= 1
                if self._left <= 0:
                    raise
                time.sleep(pause)
                pause *= 2
        return self._db

    def close(self) -> None:
        """Close what is open."""
        if self._db is not None:
            self._db.close()


def holder_name() -> str:
    """Who holds a lease: this process, in a way people can find it by."""
    return f"{socket.gethostname()}/{os.getpid()}"
